// Fifty environments of one program at the same time, twenty commands in each, from nothing;
// against as many containers that are made, run one command and are removed, by the bare way.
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <map>
#include <string>
#include <utility>

#include "bench/lines_client.h"
#include "bench/program.h"
#include "bench/target_rows.h"

namespace talaria::bench {
namespace {

constexpr int kEnvironments = 50;
constexpr int kCommands = 20;
constexpr double kMostTime = 1.3;

std::string task(int number) { return "bench-" + std::to_string(number); }

double descriptors_of(pid_t pid) {
  const std::filesystem::directory_iterator entries("/proc/" + std::to_string(pid) + "/fd");
  return static_cast<double>(std::distance(begin(entries), end(entries)));
}

// Each task has an environment of its own from now on.
void set_apart(LinesClient& client, const BenchTarget& target) {
  for (int i = 0; i < kEnvironments; ++i) {
    client.send_method("env.override",
                       {{"task", task(i)}, {"overrides", {{"docker_image", target.image}}}});
    client.receive();
  }
}

// The next command of a task as soon as it has answered the last one. How many were not answered
// with what they should have printed.
int run_all(LinesClient& client) {
  std::map<std::int64_t, std::pair<int, int>> asked;  // the task and the number of its command
  const auto ask = [&](int number, int command) {
    const std::int64_t id =
        client.send(task(number), "export N=$((N + 1)); echo " + std::to_string(number) + " $N");
    asked[id] = {number, command};
  };
  int wrong = 0;
  for (int i = 0; i < kEnvironments; ++i) ask(i, 1);
  while (!asked.empty()) {
    const Answer answer = client.receive();
    const auto [number, command] = asked.extract(answer.id).mapped();
    const auto* output = answer.result.if_contains("output");
    const std::string expected = std::to_string(number) + " " + std::to_string(command);
    if (output == nullptr || *output != boost::json::value(expected)) ++wrong;
    if (command < kCommands) ask(number, command + 1);
  }
  return wrong;
}

}  // namespace

Row measure_many_environments(const Home& home, const BenchTarget& target) {
  LinesClient client(home, target.settings);
  client.run("bench", "true");
  const auto remove_all = [&] {
    client.send_method("env.remove", {{"all", true}, {"force", true}});
    client.receive();
  };
  remove_all();
  set_apart(client, target);
  const double before = descriptors_of(client.pid());
  int wrong = 0;
  const double took = milliseconds_of([&] { wrong = run_all(client); }) / 1000;
  const double removal = milliseconds_of(remove_all) / 1000;
  const double left =
      std::stod(output_of_bash(target.count)) + descriptors_of(client.pid()) - before;
  const std::string eight = "seq " + std::to_string(kEnvironments) + " | xargs -P 8 -I{} ";
  const Program bare = cold_bash(eight + target.fresh, plain_environment());
  const double bare_took = milliseconds_of([&] { bare.run(); }) / 1000;
  Row row{.work = "50 environments at once at " + target.name +
                  ", 20 commands each / 50 docker run --rm, 8 at a time",
          .unit = "s",
          .ours = Spread{took, took},
          .floor = Spread{bare_took, bare_took},
          .notes = {"removing them took " + fixed(removal, 1) + " s more"}};
  row.judgements = {
      {.what = "time", .value = took / bare_took, .bar = kMostTime},
      {.what = "wrong", .value = static_cast<double>(wrong), .bar = 0, .unit = "", .digits = 0},
      {.what = "left", .value = left, .bar = 0, .unit = "", .digits = 0}};
  return row;
}

}  // namespace talaria::bench
