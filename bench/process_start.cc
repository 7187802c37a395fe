// How long it takes to start a process in the background, until the call returns, against a command
// in the foreground of the same session that does nothing.
#include <utility>

#include "bench/background.h"
#include "bench/home.h"
#include "bench/lines_client.h"
#include "bench/program.h"
#include "bench/rows.h"

namespace talaria::bench {
namespace {

constexpr int kWarmUp = 20;     // rounds that do not count
constexpr int kMostLive = 100;  // then all are killed

}  // namespace

std::vector<Row> measure_process_start(const Options& options) {
  const Home home(options.talaria_path);
  LinesClient client(home);
  std::vector<double> starts;
  std::vector<double> commands;
  std::vector<Process> live;
  for (int i = -kWarmUp; i < options.rounds; ++i) {
    const double command = milliseconds_of([&] { client.run("bench", "true"); });
    const double start =
        milliseconds_of([&] { live.push_back(start_process(client, "bench", sleep_command())); });
    if (i >= 0) {
      starts.push_back(start);
      commands.push_back(command);
    }
    if (live.size() == kMostLive) {
      kill_processes(client, "bench", live);
      live.clear();
    }
  }
  kill_processes(client, "bench", live);
  wait_for_sleepers(0);
  Row row{.work = "start in the background, up to 100 live / true in the foreground",
          .unit = "ms",
          .ours = spread_of(std::move(starts)),
          .floor = spread_of(std::move(commands))};
  row.judgements = judge_latency(*row.ours, *row.floor, 0.8, std::nullopt);
  return {std::move(row)};
}

}  // namespace talaria::bench
