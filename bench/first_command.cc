// How long it takes until a new controller has its first answer, with login files that are slow to
// read and were read before. Once with the runner up, once with none: then it is started, finds
// what the login files brought on disk, and runs the command.
#include <filesystem>
#include <fstream>

#include "bench/home.h"
#include "bench/program.h"
#include "bench/rows.h"

namespace talaria::bench {
namespace {

constexpr int kWarmUp = 5;         // rounds that do not count
constexpr int kRoundsPerRow = 60;  // stopping a runner takes longer than what is measured

// A person's home whose login takes a fifth of a second.
std::string make_slow_home(const Home& home) {
  const std::string person = home.directory() + "/person";
  std::filesystem::create_directory(person);
  std::ofstream(person + "/.bashrc") << "sleep 0.2\n"
                                        "export FROM_LOGIN=1 PATH=\"$HOME/bin:$PATH\"\n"
                                        "greet() { echo \"hello $1\"; }\n"
                                        "alias ll='ls -l'\n";
  return person;
}

Row measure(const Options& options, bool runner_up, std::string work, double bar) {
  const Home home(options.talaria_path);
  std::vector<std::string> environment = home.environment();
  std::erase_if(environment, [](const std::string& entry) { return entry.starts_with("HOME="); });
  environment.push_back("HOME=" + make_slow_home(home));
  const Program bash = cold_bash("true", plain_environment());
  std::vector<double> ours;
  std::vector<double> floor;
  for (int i = -kWarmUp; i < options.count(kRoundsPerRow); ++i) {
    if (!runner_up) home.stop_runner();
    // A new session each time; the command fails if it did not start with what the login brings.
    const Program first(
        {options.talaria_path, "exec", "--task", "first" + std::to_string(i), "[ $FROM_LOGIN ]"},
        environment);
    const double our_time = milliseconds_of([&] { first.run(); });
    const double floor_time = milliseconds_of([&] { bash.run(); });
    if (i < 0) continue;
    ours.push_back(our_time);
    floor.push_back(floor_time);
  }
  Row row{.work = std::move(work),
          .unit = "ms",
          .ours = spread_of(std::move(ours)),
          .floor = spread_of(std::move(floor))};
  row.judgements = judge_latency(*row.ours, *row.floor, bar, std::nullopt);
  return row;
}

}  // namespace

std::vector<Row> measure_first_command(const Options& options) {
  return {measure(options, true, "new environment and first command, login kept, runner up", 10),
          measure(options, false, "the same, and the runner is started, too", 10)};
}

}  // namespace talaria::bench
