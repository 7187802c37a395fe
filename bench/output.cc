// A command that prints 1 GB in the foreground, against the same into `cat >/dev/null`: how fast,
// and how much memory it costs runner and controller while the middle goes to the spill file.
#include <algorithm>
#include <stdexcept>

#include "bench/home.h"
#include "bench/lines_client.h"
#include "bench/process_facts.h"
#include "bench/program.h"
#include "bench/rows.h"

namespace talaria::bench {
namespace {

constexpr const char* kPrinter = "seq 111111111";
constexpr double kPrinted = 1'000'000'008;  // bytes
constexpr int kPairs = 7;
constexpr double kMegabyte = 1e6;

double rate(double milliseconds) { return kPrinted / kMegabyte / (milliseconds / 1000); }

Row memory_row(double most_megabytes) {
  return {.work = "the same: extra memory of runner and controller",
          .unit = "MB",
          .ours = Spread{most_megabytes, most_megabytes},
          .floor = std::nullopt,
          .judgements = {{.what = "most", .value = most_megabytes, .bar = 8, .unit = " MB"}}};
}

}  // namespace

std::vector<Row> measure_output(const Options& options) {
  const Home home(options.talaria_path);
  LinesClient client(home);
  client.run("bench", "true");
  const std::vector<pid_t> ours_pids{home.runner_pid(), client.pid()};
  const Program bash = cold_bash(std::string(kPrinter) + " | cat >/dev/null", plain_environment());

  std::vector<double> ours;
  std::vector<double> floor;
  std::vector<double> ratios;
  double most_memory = 0;
  for (int i = 0; i < options.count(kPairs); ++i) {
    const MemoryWatch memory(ours_pids);
    const double our_time = milliseconds_of([&] { client.run("bench", kPrinter); });
    most_memory = std::max(most_memory, memory.extra_bytes() / kMegabyte);
    const double floor_time = milliseconds_of([&] { bash.run(); });
    ours.push_back(rate(our_time));
    floor.push_back(rate(floor_time));
    ratios.push_back(floor_time / our_time);
  }
  Row row{.work = "seq printing 1 GB, foreground / the same into cat >/dev/null",
          .unit = "MB/s",
          .ours = spread_of(std::move(ours)),
          .floor = spread_of(std::move(floor))};
  row.judgements = {
      {.what = "rate", .value = median_of(std::move(ratios)), .bar = 0.7, .at_most = false}};
  row.notes = {"ratio: the median of the pairs' ratios; second number: the best pair"};
  return {row, memory_row(most_memory)};
}

}  // namespace talaria::bench
