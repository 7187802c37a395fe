// How long one command takes, from its request to its answer, against a cold bash that does the
// same without us.
#include <utility>

#include "bench/home.h"
#include "bench/lines_client.h"
#include "bench/program.h"
#include "bench/rows.h"
#include "bench/session_state.h"

namespace talaria::bench {
namespace {

constexpr int kWarmUp = 20;  // rounds that do not count

// What the session's commands find in their environment, without a session.
std::vector<std::string> environment_with_state() {
  std::vector<std::string> environment = plain_environment();
  for (std::string& variable : state_variables()) environment.push_back(std::move(variable));
  return environment;
}

Row latency_row(std::string work, std::vector<double> ours, std::vector<double> floor,
                double p50_bar, std::optional<double> p95_bar) {
  Row row{.work = std::move(work),
          .unit = "ms",
          .ours = spread_of(std::move(ours)),
          .floor = spread_of(std::move(floor))};
  row.judgements = judge_latency(*row.ours, *row.floor, p50_bar, p95_bar);
  return row;
}

}  // namespace

std::vector<Row> measure_interleaved(const Options& options) {
  const Home home(options.talaria_path);
  LinesClient client(home);
  client.run("bench", state_script());
  const Program bash = cold_bash("true", environment_with_state());
  for (int i = 0; i < kWarmUp; ++i) {
    client.run("bench", "true");
    bash.run();
  }
  std::vector<double> ours;
  std::vector<double> floor;
  for (int i = 0; i < options.rounds; ++i) {
    ours.push_back(milliseconds_of([&] { client.run("bench", "true"); }));
    floor.push_back(milliseconds_of([&] { bash.run(); }));
  }
  return {latency_row("true in a session, interleaved with the floor", std::move(ours),
                      std::move(floor), 0.5, 2)};
}

std::vector<Row> measure_back_to_back(const Options& options) {
  const Home home(options.talaria_path);
  LinesClient client(home);
  client.run("bench", state_script());
  const Program bash = cold_bash("true", environment_with_state());
  for (int i = 0; i < kWarmUp; ++i) client.run("bench", "true");
  std::vector<double> ours;
  for (int i = 0; i < options.rounds; ++i) {
    ours.push_back(milliseconds_of([&] { client.run("bench", "true"); }));
  }
  for (int i = 0; i < kWarmUp; ++i) bash.run();
  std::vector<double> floor;
  for (int i = 0; i < options.rounds; ++i) {
    floor.push_back(milliseconds_of([&] { bash.run(); }));
  }
  return {latency_row("the same back to back, no gap", std::move(ours), std::move(floor), 1.1, 3)};
}

// Two agents with the same runner, one of which writes down what it runs.
std::vector<Row> measure_audit(const Options& options) {
  const Home home(options.talaria_path);
  LinesClient logged(home, {"TALARIA_AUDIT=1"});
  LinesClient silent(home, {"TALARIA_AUDIT=0"});
  const auto run = [](LinesClient& client) {
    return milliseconds_of([&] { client.run("bench", "true"); });
  };
  for (int i = 0; i < kWarmUp; ++i) {
    run(logged);
    run(silent);
  }
  std::vector<double> ours;
  std::vector<double> floor;
  for (int i = 0; i < options.rounds; ++i) {
    ours.push_back(run(logged));
    floor.push_back(run(silent));
  }
  return {latency_row("true with the audit log / without", std::move(ours), std::move(floor), 1.02,
                      std::nullopt)};
}

std::vector<Row> measure_exec(const Options& options) {
  const Home home(options.talaria_path);
  const Program exec({options.talaria_path, "exec", "true"}, home.environment());
  const Program bash = cold_bash("true", plain_environment());
  for (int i = 0; i < kWarmUp; ++i) {
    exec.run();
    bash.run();
  }
  std::vector<double> ours;
  std::vector<double> floor;
  for (int i = 0; i < options.rounds; ++i) {
    ours.push_back(milliseconds_of([&] { exec.run(); }));
    floor.push_back(milliseconds_of([&] { bash.run(); }));
  }
  return {latency_row("talaria exec true, whole process, runner up", std::move(ours),
                      std::move(floor), 2, std::nullopt)};
}

}  // namespace talaria::bench
