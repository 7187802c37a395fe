// Whether a command costs more because its runner knows many sessions: time, processor time of each
// of our processes, and memory.
#include <string>
#include <vector>

#include "bench/home.h"
#include "bench/lines_client.h"
#include "bench/process_facts.h"
#include "bench/program.h"
#include "bench/rows.h"

namespace talaria::bench {
namespace {

constexpr int kFew = 100;
constexpr int kMany = 10'000;
constexpr int kAtOnce = 16;
constexpr int kCommands = 1000;
constexpr int kWarmUp = 100;

std::string task_name(int i) { return "flat-" + std::to_string(i); }

// Sessions that have something to remember.
void make_sessions(LinesClient& client, int from, int to) {
  int sent = from;
  for (int done = from; done < to; ++done) {
    for (; sent < to && sent < done + kAtOnce; ++sent) client.send(task_name(sent), "export A=1");
    expect_success(client.receive());
  }
}

struct Cost {
  Spread time;
  CpuTimes cpu;  // of one command
};

// One command after the other, each in the next of `sessions`.
Cost measure_commands(const Home& home, LinesClient& client, int commands, int sessions) {
  const int step = std::max(1, sessions / commands);
  const auto task_of = [&](int i) { return task_name(i * step % sessions); };
  for (int i = 0; i < kWarmUp; ++i) client.run(task_of(i), "true");
  const CpuTimes before = cpu_times(client.pid(), home.runner_pid());
  std::vector<double> times;
  for (int i = 0; i < commands; ++i) {
    times.push_back(milliseconds_of([&] { client.run(task_of(i), "true"); }));
  }
  const CpuTimes after = cpu_times(client.pid(), home.runner_pid());
  return {.time = spread_of(std::move(times)), .cpu = (after - before) / commands};
}

std::string shown(const CpuTimes& cpu) {
  return "controller " + fixed(cpu.controller, 3) + ", runner " + fixed(cpu.runner, 3) +
         ", nursery and reapers " + fixed(cpu.tree, 3) + " ms";
}

Row time_row(std::string work, const Cost& many, const Cost& few, double bar) {
  Row row{.work = std::move(work), .unit = "ms", .ours = many.time, .floor = few.time};
  row.judgements = {{.what = "p50", .value = many.time.p50 / few.time.p50, .bar = bar}};
  return row;
}

Row cpu_row(const Cost& many, const Cost& few) {
  Row row{.work = "processor time of Talaria for each of them",
          .unit = "ms",
          .ours = Spread{many.cpu.sum(), many.cpu.sum()},
          .floor = Spread{few.cpu.sum(), few.cpu.sum()}};
  row.judgements = {{.what = "in all", .value = many.cpu.sum(), .bar = 0.4, .unit = " ms"},
                    {.what = "of few", .value = many.cpu.sum() / few.cpu.sum(), .bar = 1.2}};
  row.notes = {"few sessions: " + shown(few.cpu), "many sessions: " + shown(many.cpu)};
  return row;
}

}  // namespace

std::vector<Row> measure_flat(const Options& options) {
  const int few_sessions = options.count(kFew);
  const int many_sessions = options.count(kMany);
  const int commands = options.count(kCommands);
  const Home home(options.talaria_path);
  LinesClient client(home);
  make_sessions(client, 0, few_sessions);
  const Cost few = measure_commands(home, client, commands, 1);
  const Cost few_spread = measure_commands(home, client, commands, few_sessions);
  const double memory = resident_bytes(home.runner_pid());
  make_sessions(client, few_sessions, many_sessions);
  const Cost many = measure_commands(home, client, commands, 1);
  const Cost many_spread = measure_commands(home, client, commands, many_sessions);
  const double for_each =
      (resident_bytes(home.runner_pid()) - memory) / (many_sessions - few_sessions);

  std::vector<Row> rows{
      time_row("true in one session, 10,000 sessions known / 100", many, few, 1.2),
      cpu_row(many, few),
      time_row("the same spread over all sessions", many_spread, few_spread, 1.5),
      cpu_row(many_spread, few_spread)};
  rows.push_back(
      {.work = "memory of the runner for an idle session",
       .unit = "B",
       .ours = Spread{for_each, for_each},
       .judgements = {
           {.what = "each", .value = for_each, .bar = 4096, .unit = " B", .digits = 0}}});
  return rows;
}

}  // namespace talaria::bench
