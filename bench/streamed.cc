// A command at a target whose output, all of it, is streamed to the caller: `talaria exec` into a
// pipe, against the same command by the bare way there into the same pipe.
#include <sys/resource.h>
#include <sys/wait.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/program.h"
#include "bench/target_rows.h"

namespace talaria::bench {
namespace {

constexpr int kPairs = 7;
constexpr double kLeastRate = 0.95;
constexpr double kMostMemory = 8;  // MB
constexpr double kMegabytes = 200;
constexpr const char* kPrinter = R"(head -c 200000000 /dev/zero | tr "\0" x)";

std::vector<std::string> variables(const Home& home, const BenchTarget& target) {
  std::vector<std::string> all = home.environment();
  all.insert(all.end(), target.settings.begin(), target.settings.end());
  return all;
}

std::string exec(const Home& home, const std::string& command) {
  return home.talaria_path() + " exec --timeout 300 '" + command + "'";
}

// As a caller would read it. Fails unless all of it came.
std::string read_all(const std::string& words) {
  return "[ \"$(" + words + " | cat | wc -c)\" = 200000000 ]";
}

Program into_pipe(const std::string& words, std::vector<std::string> environment) {
  return cold_bash("set -o pipefail; " + words + " | cat >/dev/null", std::move(environment));
}

// The most memory that one process of it had.
double peak_megabytes(const Program& program) {
  int status = 0;
  rusage used{};
  const pid_t pid = program.start();
  if (::wait4(pid, &status, 0, &used) != pid || status != 0) {
    throw std::runtime_error("talaria exec ended with wait status " + std::to_string(status));
  }
  return static_cast<double>(used.ru_maxrss) / 1000;  // from KiB, nearly
}

}  // namespace

Row measure_streamed(const Options& options, const Home& home, const BenchTarget& target) {
  const std::vector<std::string> ours_variables = variables(home, target);
  const std::string bare_words = target.shell + " '" + kPrinter + "'";
  const Program nothing = into_pipe(exec(home, "true"), ours_variables);
  const Program ours_program = into_pipe(exec(home, kPrinter), ours_variables);
  const Program bare = into_pipe(bare_words, plain_environment());
  nothing.run();  // there is a container, with a runner
  cold_bash(read_all(exec(home, kPrinter)), ours_variables).run();
  cold_bash(read_all(bare_words), plain_environment()).run();

  const double small = peak_megabytes(nothing);
  double most = 0;
  std::vector<double> ours;
  std::vector<double> floor;
  std::vector<double> ratios;
  for (int i = 0; i < options.count(kPairs); ++i) {
    const double took =
        milliseconds_of([&] { most = std::max(most, peak_megabytes(ours_program)); });
    const double bare_took = milliseconds_of([&] { bare.run(); });
    ours.push_back(kMegabytes * 1000 / took);
    floor.push_back(kMegabytes * 1000 / bare_took);
    ratios.push_back(bare_took / took);
  }
  Row row{.work = "200 MB streamed to the caller from " + target.name + " / the bare way there",
          .unit = "MB/s",
          .ours = spread_of(std::move(ours)),
          .floor = spread_of(std::move(floor)),
          .notes = {"ratio: the median of the pairs' ratios; second number: the best pair"}};
  row.judgements = {
      {.what = "rate", .value = median_of(ratios), .bar = kLeastRate, .at_most = false},
      {.what = "controller +", .value = most - small, .bar = kMostMemory, .unit = " MB"}};
  return row;
}

}  // namespace talaria::bench
