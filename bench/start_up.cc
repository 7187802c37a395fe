// What a person waits for who only asks something: help, the configuration, the list of tools.
#include "bench/home.h"
#include "bench/program.h"
#include "bench/rows.h"

namespace talaria::bench {
namespace {

constexpr int kRuns = 50;
constexpr double kBar = 10;  // ms

Row measure(const Options& options, const Home& home, const std::string& word) {
  const Program program({options.talaria_path, word}, home.environment());
  program.run();
  std::vector<double> times;
  for (int i = 0; i < options.count(kRuns); ++i)
    times.push_back(milliseconds_of([&] { program.run(); }));
  Row row{.work = "talaria " + word, .unit = "ms", .ours = spread_of(std::move(times))};
  row.judgements = {{.what = "p50", .value = row.ours->p50, .bar = kBar, .unit = " ms"}};
  return row;
}

}  // namespace

std::vector<Row> measure_start_up(const Options& options) {
  const Home home(options.talaria_path);
  std::vector<Row> rows;
  for (const char* word : {"config", "--help", "tools"}) {
    rows.push_back(measure(options, home, word));
  }
  return rows;
}

}  // namespace talaria::bench
