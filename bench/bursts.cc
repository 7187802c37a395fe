// Much at once: 300 sessions that each print 10 MB, and 2,000 processes that start in the
// background.
#include <algorithm>
#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "bench/background.h"
#include "bench/home.h"
#include "bench/lines_client.h"
#include "bench/process_facts.h"
#include "bench/program.h"
#include "bench/rows.h"

namespace talaria::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kLoud = 300;
constexpr std::string_view kPrints = "head -c 10000000 /dev/zero | tr '\\0' x";
constexpr int kStarts = 2000;
constexpr int kFloorRuns = 200;

// How long each took; all are sent before the first is answered.
std::vector<double> print_at_once(LinesClient& client, int sessions) {
  std::map<std::int64_t, Clock::time_point> sent;
  for (int i = 0; i < sessions; ++i) {
    const auto now = Clock::now();
    sent[client.send("loud-" + std::to_string(i), kPrints)] = now;
  }
  std::vector<double> times;
  for (int i = 0; i < sessions; ++i) {
    const Answer answer = client.receive();
    expect_success(answer);
    const auto took = Clock::now() - sent.at(answer.id);
    times.push_back(std::chrono::duration<double, std::milli>(took).count());
  }
  return times;
}

}  // namespace

std::vector<Row> measure_bursts(const Options& options) {
  const Home home(options.talaria_path);
  LinesClient client(home);
  client.run("first", "true");
  const pid_t runner = home.runner_pid();
  const MemoryWatch memory({runner, client.pid()});
  const std::vector<double> times = print_at_once(client, options.count(kLoud));
  Row loud{.work = "300 sessions print 10 MB each at once", .unit = "ms", .ours = spread_of(times)};
  loud.judgements = {{.what = "slowest of p50",
                      .value = *std::ranges::max_element(times) / loud.ours->p50,
                      .bar = 3},
                     {.what = "memory of each",
                      .value = memory.extra_bytes() / (1024.0 * 1024.0) / options.count(kLoud),
                      .bar = 1,
                      .unit = " MB"}};
  loud.notes = {"memory: what runner and controller had more at their peaks, for each command"};

  const Program bash = cold_bash("true", plain_environment());
  std::vector<double> floor;
  for (int i = 0; i < options.count(kFloorRuns); ++i) {
    floor.push_back(milliseconds_of([&] { bash.run(); }));
  }
  const int count = options.count(kStarts);
  const double took =
      milliseconds_of([&] { start_processes(client, "burst", sleep_command(), count); }) / count;
  Row starts{.work = "2,000 background starts at once, each",
             .unit = "ms",
             .ours = Spread{took, took},
             .floor = spread_of(std::move(floor))};
  starts.judgements = {{.what = "each", .value = took / starts.floor->p50, .bar = 2.5}};
  home.stop_runner();
  wait_for_sleepers(0);
  return {std::move(loud), std::move(starts)};
}

}  // namespace talaria::bench
