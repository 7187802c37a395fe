// Two thousand processes that print nothing: what they cost while nobody asks for them, in memory
// and in wake-ups, and how long it takes to list them.
#include <chrono>
#include <stdexcept>
#include <thread>
#include <utility>

#include <boost/json/array.hpp>

#include "bench/background.h"
#include "bench/home.h"
#include "bench/idle_row.h"
#include "bench/lines_client.h"
#include "bench/process_facts.h"
#include "bench/program.h"
#include "bench/rows.h"

namespace talaria::bench {
namespace {

constexpr int kFirst = 50;     // processes before memory is first looked at
constexpr int kSilent = 2000;  // processes nobody hears from
constexpr int kLists = 21;
constexpr double kKilobyte = 1024;

// A call leaves one alarm behind, by which its controller would have asked a silent runner whether
// it is still there. It is not set again.
constexpr auto kLastAlarm = std::chrono::seconds(15);

double list_time(LinesClient& client, int expected) {
  Answer answer;
  const double took =
      milliseconds_of([&] { answer = client.call("bench", "process", {{"action", "list"}}); });
  const auto* processes = answer.result.if_contains("processes");
  if (!processes || std::ssize(processes->as_array()) != expected) {
    throw std::runtime_error("not " + std::to_string(expected) + " processes in the list");
  }
  return took;
}

Row list_row(LinesClient& client, int expected) {
  std::vector<double> times;
  for (int i = 0; i < kLists; ++i) times.push_back(list_time(client, expected));
  Row row{.work = "list of 2,000 silent processes", .unit = "ms", .ours = spread_of(times)};
  row.judgements = {{.what = "p50", .value = row.ours->p50, .bar = 50, .unit = " ms"}};
  return row;
}

Row memory_row(std::string work, double before, double after, int processes) {
  const double each = (after - before) / kKilobyte / processes;
  return {.work = std::move(work),
          .unit = "KB",
          .ours = Spread{each, each},
          .floor = std::nullopt,
          .judgements = {{.what = "each", .value = each, .bar = 8, .unit = " KB"}},
          .notes = {"how much the resident memory grew, lists included"}};
}

}  // namespace

std::vector<Row> measure_many_processes(const Options& options) {
  const Home home(options.talaria_path);
  LinesClient client(home);
  start_processes(client, "bench", sleep_command(), kFirst);
  list_time(client, kFirst);
  const pid_t runner = home.runner_pid();
  const double runner_before = resident_bytes(runner);
  const double controller_before = resident_bytes(client.pid());
  const int silent = options.count(kSilent);
  const int more = silent - kFirst;
  start_processes(client, "bench", sleep_command(), more);
  wait_for_sleepers(silent);
  std::vector<Row> rows;
  rows.push_back(list_row(client, silent));
  rows.push_back(
      memory_row("the same: memory of the runner", runner_before, resident_bytes(runner), more));
  rows.push_back(memory_row("the same: memory of the controller", controller_before,
                            resident_bytes(client.pid()), more));
  std::this_thread::sleep_for(options.time(kLastAlarm));
  rows.push_back(idle_row(options, "the same: nobody asks", {runner, client.pid()}));
  home.stop_runner();
  wait_for_sleepers(0);
  return rows;
}

}  // namespace talaria::bench
