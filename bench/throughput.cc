// How many commands some sessions get done at once, through one agent's connection, against as many
// loops that start a cold bash.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <thread>

#include "bench/home.h"
#include "bench/lines_client.h"
#include "bench/program.h"
#include "bench/rows.h"
#include "bench/session_state.h"

namespace talaria::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kSessions = 8;
constexpr int kMostLoops = 16;
constexpr int kWindows = 3;
constexpr auto kWindow = std::chrono::milliseconds(1500);

double per_second(int count, Clock::time_point begin) {
  const std::chrono::duration<double> took = Clock::now() - begin;
  return count / took.count();
}

std::string task_name(int i) { return "bench-" + std::to_string(i); }

// Each session gets its next command as soon as it has answered the last.
double window_of_ours(LinesClient& client, int sessions, Clock::duration window) {
  std::map<std::int64_t, int> under_way;  // request, session
  for (int i = 0; i < sessions; ++i) under_way[client.send(task_name(i), "true")] = i;
  const auto begin = Clock::now();
  int count = 0;
  while (!under_way.empty()) {
    const Answer answer = client.receive();
    expect_success(answer);
    const auto request = under_way.extract(answer.id);
    ++count;
    if (Clock::now() - begin < window) {
      const int session = request.mapped();
      under_way[client.send(task_name(session), "true")] = session;
    }
  }
  return per_second(count, begin);
}

using Programs = std::vector<std::unique_ptr<Program>>;

double window_of_floor(const Programs& programs, Clock::duration window) {
  std::atomic<int> count = 0;
  std::atomic<bool> failed = false;
  const auto begin = Clock::now();
  {
    std::vector<std::jthread> loops;
    for (const auto& program : programs) {
      loops.emplace_back([&count, &failed, &program, begin, window] {
        try {
          for (; Clock::now() - begin < window; ++count) program->run();
        } catch (const std::exception&) {
          failed = true;
        }
      });
    }
  }
  if (failed) throw std::runtime_error("a cold bash failed");
  return per_second(count, begin);
}

struct Plan {
  std::string work;
  int sessions = kSessions;
  std::string setup = "true";  // of each session
  double bar = 0;
};

Row measure(const Options& options, const Home& home, const Plan& plan,
            const Programs& floor_programs) {
  LinesClient client(home);
  for (int i = 0; i < plan.sessions; ++i) client.run(task_name(i), plan.setup);
  const auto window = options.time(kWindow);
  window_of_ours(client, plan.sessions, window);  // the first shells are cold
  window_of_floor(floor_programs, window);

  std::vector<double> ours;
  std::vector<double> floor;
  for (int i = 0; i < options.count(kWindows); ++i) {
    ours.push_back(window_of_ours(client, plan.sessions, window));
    floor.push_back(window_of_floor(floor_programs, window));
  }
  Row row{.work = plan.work,
          .unit = "/s",
          .ours = spread_of(std::move(ours)),
          .floor = spread_of(std::move(floor))};
  row.judgements = {
      {.what = "rate", .value = row.ours->p50 / row.floor->p50, .bar = plan.bar, .at_most = false}};
  row.notes = {"second number: the best window"};
  return row;
}

// A cold bash that gives its commands what a session gives them: loads the state, saves it.
Programs bash_with_state(const Home& home) {
  Programs programs;
  for (int i = 0; i < kSessions; ++i) {
    const std::string file = home.directory() + "/state-" + std::to_string(i);
    std::ofstream(file) << state_script();
    const std::string command = "source " + file +
                                "; true; { export -p; declare -f; alias -p; shopt -p; set +o; } >" +
                                file + ".saved";
    programs.push_back(std::make_unique<Program>(
        std::vector<std::string>{"/bin/bash", "-c", command}, plain_environment()));
  }
  return programs;
}

Programs bare_bash(int count) {
  Programs programs;
  for (int i = 0; i < count; ++i) {
    programs.push_back(std::make_unique<Program>(
        std::vector<std::string>{"/bin/bash", "-c", "true"}, plain_environment()));
  }
  return programs;
}

}  // namespace

std::vector<Row> measure_sessions(const Options& options) {
  std::vector<Row> rows;
  {
    const Home home(options.talaria_path, Runners::suitable);
    rows.push_back(
        measure(options, home,
                {.work = "eight sessions at once / cold bash that loads and saves the state",
                 .setup = state_script(),
                 .bar = 1.1},
                bash_with_state(home)));
  }
  for (const int sessions : {1, 4, 8, 16, 64}) {
    const int loops = std::min(sessions, kMostLoops);
    const Home home(options.talaria_path, Runners::suitable);
    rows.push_back(measure(options, home,
                           {.work = std::to_string(sessions) + " fresh sessions at once / " +
                                    std::to_string(loops) + " loops of cold bash",
                            .sessions = sessions,
                            .bar = sessions <= 4 ? 1.0 : 0.6},
                           bare_bash(loops)));
    rows.back().cores = static_cast<unsigned>(loops);
  }
  return rows;
}

}  // namespace talaria::bench
