// The first command of a new task whose container or instance waits in a pool, from the call to its
// answer. An instance is reached by its engine, so the floor is one command by the engine alone.
#include <stdexcept>
#include <string>
#include <thread>

#include "bench/home.h"
#include "bench/lines_client.h"
#include "bench/program.h"
#include "bench/rows.h"
#include "bench/target.h"

namespace talaria::bench {
namespace {

constexpr int kSize = 4;
constexpr int kTasks = 24;
constexpr double kMostFirst = 10;  // ms
constexpr auto kPatience = std::chrono::seconds(60);

void wait_until_full(const Home& home) {
  std::string list;
  for (const std::string& variable : home.environment()) {
    if (variable.starts_with("TALARIA_HOME=")) list += "'" + variable + "' ";
  }
  list = "env " + list + "'" + home.talaria_path() + "' env list --json | tr ',' '\\n'";
  const std::string full = "\"waiting\":" + std::to_string(kSize);
  const auto until = std::chrono::steady_clock::now() + kPatience;
  while (!output_of_bash(list).contains(full)) {
    if (std::chrono::steady_clock::now() > until) throw std::runtime_error("no pool was filled");
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
}

Row measure_pool(const Options& options, const Home& home, const BenchTarget& target) {
  std::vector<std::string> settings = target.settings;
  settings.push_back("TERMINAL_POOL_SIZE=" + std::to_string(kSize));
  LinesClient client(home, settings);
  const bool by_engine = target.name == "singularity";
  const std::string image = by_engine ? "singularity_image" : "docker_image";
  const Program bare = cold_bash(target.bare, plain_environment());
  std::vector<double> ours;
  std::vector<double> floor;
  for (int i = 0; i < options.count(kTasks) + 1; ++i) {
    if (i % kSize == 0) wait_until_full(home);
    const std::string task = "bench-" + std::to_string(i);
    client.send_method("env.override", {{"task", task}, {"overrides", {{image, target.image}}}});
    client.receive();
    const double took = milliseconds_of([&] { client.run(task, "true"); });
    if (i > 0) ours.push_back(took);  // the first one of a program also sweeps
    if (i > 0 && by_engine) floor.push_back(milliseconds_of([&] { bare.run(); }));
  }
  Row row{.work = "first command of a new task at " + target.name + ", from a pool",
          .unit = "ms",
          .ours = spread_of(std::move(ours))};
  if (by_engine) {
    row.floor = spread_of(std::move(floor));
    row.judgements = {{.what = "p50 +",
                       .value = row.ours->p50 - row.floor->p50,
                       .bar = kMostFirst,
                       .unit = " ms"}};
    return row;
  }
  row.judgements = {{.what = "p50", .value = row.ours->p50, .bar = kMostFirst, .unit = " ms"}};
  return row;
}

}  // namespace

std::vector<Row> measure_pools(const Options& options) {
  std::vector<Row> rows;
  for (const char* name : {"docker", "singularity"}) {
    const Home home(options.talaria_path);
    const auto target = bench_target(home.directory(), name);
    if (!target) {
      rows.push_back(
          {.work = std::string("pool of ") + name, .notes = {"there is no such engine here"}});
      continue;
    }
    rows.push_back(measure_pool(options, home, *target));
    output_of_bash(target->clean);
  }
  return rows;
}

}  // namespace talaria::bench
