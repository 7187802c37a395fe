// Fifty environments of one program at the same time, twenty commands in each, from nothing until
// they are removed; against as many containers that are made, have twenty cold shells run `true` in
// one `docker exec`, and are removed by the bare way.
#include <filesystem>
#include <iterator>
#include <map>
#include <string>
#include <utility>

#include "bench/home.h"
#include "bench/lines_client.h"
#include "bench/program.h"
#include "bench/rows.h"
#include "bench/target.h"

namespace talaria::bench {
namespace {

constexpr int kEnvironments = 50;
constexpr int kCommands = 20;
constexpr int kRounds = 3;

std::string task(int number) { return "bench-" + std::to_string(number); }

double descriptors_of(pid_t pid) {
  const std::filesystem::directory_iterator entries("/proc/" + std::to_string(pid) + "/fd");
  return static_cast<double>(std::distance(begin(entries), end(entries)));
}

// Each task has an environment of its own from now on.
void set_apart(LinesClient& client, const BenchTarget& target, int environments) {
  for (int i = 0; i < environments; ++i) {
    client.send_method("env.override",
                       {{"task", task(i)}, {"overrides", {{"docker_image", target.image}}}});
    client.receive();
  }
}

// The next command of a task as soon as it has answered the last one. How many were not answered
// with what they should have printed.
int run_all(LinesClient& client, int environments) {
  std::map<std::int64_t, std::pair<int, int>> asked;  // the task and the number of its command
  const auto ask = [&](int number, int command) {
    const std::string counts = command == 1 ? "export N=1" : "export N=$((N + 1))";
    const std::int64_t id =
        client.send(task(number), counts + "; echo " + std::to_string(number) + " $N");
    asked[id] = {number, command};
  };
  int wrong = 0;
  for (int i = 0; i < environments; ++i) ask(i, 1);
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

// Seconds.
double bare_time(const BenchTarget& target, int environments) {
  const std::string eight = "seq " + std::to_string(environments) + " | xargs -P 8 -I{} ";
  const Program bare = cold_bash(eight + target.life, plain_environment());
  return milliseconds_of([&] { bare.run(); }) / 1000;
}

void remove_all(LinesClient& client) {
  client.send_method("env.remove", {{"all", true}, {"force", true}});
  client.receive();
}

struct Round {
  double took = 0;   // seconds
  double wrong = 0;  // answers
  double left = 0;   // containers, and descriptors of the controller
};

Round run_round(LinesClient& client, const BenchTarget& target, int environments) {
  Round round;
  const double before = descriptors_of(client.pid());
  const double took = milliseconds_of([&] {
    round.wrong = run_all(client, environments);
    remove_all(client);
  });
  round.took = took / 1000;
  round.left = std::stod(output_of_bash(target.count)) +
               std::max(0.0, descriptors_of(client.pid()) - before);
  return round;
}

Row row_of(const std::vector<Round>& rounds, std::vector<double> floor) {
  std::vector<double> ours;
  std::vector<double> ratios;
  double wrong = 0;
  double left = 0;
  for (std::size_t i = 0; i < rounds.size(); ++i) {
    ours.push_back(rounds[i].took);
    ratios.push_back(rounds[i].took / floor[i]);
    wrong += rounds[i].wrong;
    left += rounds[i].left;
  }
  Row row{
      .work = "50 environments at once, 20 commands each / docker run, exec and rm, 8 at a time",
      .unit = "s",
      .ours = spread_of(std::move(ours)),
      .floor = spread_of(std::move(floor)),
      .notes = {}};
  row.notes.push_back("time over that of docker itself: " + fixed(median_of(ratios), 2) + "x");
  row.judgements = {{.what = "wrong", .value = wrong, .bar = 0, .unit = "", .digits = 0},
                    {.what = "left", .value = left, .bar = 0, .unit = "", .digits = 0}};
  return row;
}

}  // namespace

std::vector<Row> measure_environments(const Options& options) {
  const Home home(options.talaria_path);
  const auto target = bench_target(home.directory(), "docker");
  if (!target) return {{.work = "50 environments", .notes = {"there is no such engine here"}}};
  const int environments = options.count(kEnvironments);
  std::vector<Round> rounds;
  std::vector<double> floor;
  LinesClient client(home, target->settings);
  client.run("bench", "true");
  remove_all(client);
  set_apart(client, *target, environments);
  for (int i = 0; i < options.count(kRounds); ++i) {
    rounds.push_back(run_round(client, *target, environments));
    floor.push_back(bare_time(*target, environments));
  }
  return {row_of(rounds, std::move(floor))};
}

}  // namespace talaria::bench
