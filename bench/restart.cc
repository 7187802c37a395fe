// A controller that was killed while it had many processes, and a new one: how long until that one
// has found them all, has read on where the first one was with each, and hears of their events.
#include <signal.h>

#include <memory>
#include <stdexcept>
#include <utility>

#include <boost/json/serialize.hpp>

#include "bench/background.h"
#include "bench/home.h"
#include "bench/lines_client.h"
#include "bench/program.h"
#include "bench/rows.h"

namespace talaria::bench {
namespace {

namespace json = boost::json;

constexpr int kResumed = 1000;  // processes a new controller finds
constexpr int kRounds = 5;
constexpr std::string_view kPrinted = "first\nsecond\n";
constexpr std::string_view kReadBefore = "first\n";  // by the controller that is killed

json::object read_arguments(const Process& process) {
  return {{"action", "read"}, {"session_id", process.id}, {"from", kReadBefore.size()}};
}

// All requests at once, as an agent that was started again would send them.
void resume(LinesClient& client, const std::vector<Process>& processes) {
  const std::int64_t subscription = client.send_method("events.subscribe", {{"consumer", "bench"}});
  const std::int64_t list = client.send_call("bench", "process", {{"action", "list"}});
  for (const Process& process : processes) {
    client.send_call("bench", "process", read_arguments(process));
  }
  const std::string_view rest = kPrinted.substr(kReadBefore.size());
  for (std::size_t i = 0; i < processes.size() + 2; ++i) {
    const Answer answer = client.receive();
    if (answer.id == subscription) continue;
    const bool good = answer.id == list
                          ? answer.result.at("processes").as_array().size() == processes.size()
                          : answer.result.at("data").as_string() == rest;
    if (!good) throw std::runtime_error("not resumed: " + json::serialize(answer.result));
  }
}

}  // namespace

std::vector<Row> measure_restart(const Options& options) {
  const int resumed = options.count(kResumed);
  const Home home(options.talaria_path);
  auto client = std::make_unique<LinesClient>(home);
  const std::string command = "printf 'first\\nsecond\\n'; exec " + sleep_command();
  const auto processes = start_processes(*client, "bench", command, resumed);
  wait_for_sleepers(resumed);
  std::vector<double> times;
  for (int i = 0; i < options.count(kRounds); ++i) {
    ::kill(client->pid(), SIGKILL);
    client.reset();
    times.push_back(milliseconds_of([&] {
      client = std::make_unique<LinesClient>(home);
      resume(*client, processes);
    }));
  }
  home.stop_runner();
  wait_for_sleepers(0);
  Row row{.work = "a new controller resumes 1,000 live processes",
          .unit = "ms",
          .ours = spread_of(times)};
  row.judgements = {{.what = "p50", .value = row.ours->p50, .bar = 1000, .unit = " ms"}};
  row.notes = {"the old one was killed; the second number is the slowest of 5"};
  return {std::move(row)};
}

}  // namespace talaria::bench
