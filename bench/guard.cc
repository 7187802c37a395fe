// How long a command waits for the guard. The floor of the long ones is `bash -n` on the same text:
// bash reading it, and no more.
#include "policy/guard/guard.h"

#include <fstream>

#include "bench/home.h"
#include "bench/program.h"
#include "bench/rows.h"

namespace talaria::bench {
namespace {

constexpr int kRuns = 50;
constexpr int kNormalRuns = 2000;
constexpr double kNormalBar = 200;  // us
constexpr double kLongBar = 50;     // ms
constexpr std::size_t kLong = 1024 * 1024;

std::string repeated(const std::string& piece) {
  std::string text;
  while (text.size() < kLong) text += piece;
  return text;
}

Row measure_normal(const Options& options) {
  const std::string command =
      "cd \"$HOME/src\" && git fetch --all && for d in a b; do make -C \"$d\" -j8 2>&1 | tee "
      "build-$d.log; done && git commit -am \"$(date): it's built\" && rm -rf build/tmp";
  std::vector<double> times;
  for (int i = 0; i < options.count(kNormalRuns); ++i) {
    times.push_back(1000 * milliseconds_of([&] { talaria::guard::judge(command); }));
  }
  Row row{.work = "guard: a normal command", .unit = "us", .ours = spread_of(std::move(times))};
  row.judgements = {{.what = "p50", .value = row.ours->p50, .bar = kNormalBar, .unit = " us"}};
  return row;
}

Row measure_long(const Options& options, const Home& home, const std::string& what,
                 const std::string& text) {
  const std::string file = home.directory() + "/text";
  std::ofstream(file, std::ios::binary) << text;
  const Program bash({"/bin/bash", "-n", file}, plain_environment());
  std::vector<double> ours;
  std::vector<double> floor;
  for (int i = 0; i < options.count(kRuns); ++i) {
    ours.push_back(milliseconds_of([&] { talaria::guard::judge(text); }));
    floor.push_back(milliseconds_of([&] { bash.run(); }));
  }
  Row row{.work = "guard: 1 MB of " + what,
          .unit = "ms",
          .ours = spread_of(std::move(ours)),
          .floor = spread_of(std::move(floor))};
  row.judgements = {{.what = "p50", .value = row.ours->p50, .bar = kLongBar, .unit = " ms"}};
  return row;
}

}  // namespace

std::vector<Row> measure_guard(const Options& options) {
  const Home home(options.talaria_path);
  return {measure_normal(options),
          measure_long(options, home, "here-document",
                       "cat > f <<'EOF'\n" + repeated("x = 'it''s' # $(y)\n") + "EOF\n"),
          measure_long(options, home, "'tee '", repeated("tee ")),
          measure_long(options, home, "'a/'", repeated("a/")),
          measure_long(options, home, "commands", repeated("make -C \"$d\" all && ls | wc -l; "))};
}

}  // namespace talaria::bench
