// A thousand children that sleep must cost nothing: neither runner nor controller wakes up. Once as
// background children of one command, once as a thousand commands under way.
#include <unistd.h>

#include <chrono>
#include <functional>
#include <list>
#include <memory>
#include <stdexcept>
#include <thread>
#include <utility>

#include "base/limits.h"
#include "bench/home.h"
#include "bench/lines_client.h"
#include "bench/process_facts.h"
#include "bench/rows.h"

namespace talaria::bench {
namespace {

using namespace std::chrono_literals;

constexpr auto kPatience = 60s;  // for a thousand processes to come or go
constexpr auto kSettle = 3s;     // for warm shells to be brought back
constexpr auto kWindow = 5s;

// Nobody else's: our pid is part of the number of seconds.
std::string sleep_command() { return "sleep 600." + std::to_string(::getpid()); }

void wait_until_there_are(int count) {
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  for (;;) {
    const auto there = static_cast<int>(count_processes(sleep_command()));
    if (there == count) return;
    if (std::chrono::steady_clock::now() > deadline) {
      throw std::runtime_error(std::to_string(there) + " sleeping children, expected " +
                               std::to_string(count));
    }
    std::this_thread::sleep_for(50ms);
  }
}

std::uint64_t switches_of(const std::vector<pid_t>& pids) {
  std::uint64_t sum = 0;
  for (const pid_t pid : pids) sum += context_switches(pid);
  return sum;
}

Row idle_row(std::string work, const std::vector<pid_t>& pids) {
  std::this_thread::sleep_for(kSettle);
  const std::uint64_t before = switches_of(pids);
  std::this_thread::sleep_for(kWindow);
  const auto switches = static_cast<double>(switches_of(pids) - before);
  const double per_second = switches / std::chrono::duration<double>(kWindow).count();
  return {.work = std::move(work),
          .unit = "/s",
          .ours = Spread{per_second, per_second},
          .floor = std::nullopt,
          .judgements = {{.what = "wake-ups", .value = per_second, .bar = 0, .unit = " /s"}}};
}

Row measure_children(const Options& options) {
  const Home home(options.talaria_path);
  LinesClient client(home);
  client.run("bench", "for ((i = 0; i < " + std::to_string(options.sleepers) + "; i++)); do " +
                          sleep_command() + " & done");
  wait_until_there_are(options.sleepers);
  Row row = idle_row("1,000 sleeping background children of one command",
                     {home.runner_pid(), client.pid()});
  home.stop_runner();  // nothing else ends children that a command left behind on purpose
  wait_until_there_are(0);
  row.notes = {"ending the runner left none of them"};
  return row;
}

struct SleepingAgent {
  explicit SleepingAgent(const Home& home) : client(home) {}
  LinesClient client;
  std::vector<std::int64_t> commands;
};

void cancel_all(SleepingAgent& agent) {
  for (const std::int64_t command : agent.commands) agent.client.cancel(command);
  for (std::size_t answers = 0; answers < 2 * agent.commands.size(); ++answers) {
    agent.client.receive();
  }
}

Row measure_commands(const Options& options) {
  const Home home(options.talaria_path);
  std::list<SleepingAgent> agents;  // each has a bound on its commands under way
  std::vector<pid_t> pids;
  for (int i = 0; i < options.sleepers; ++i) {
    if (agents.empty() || agents.back().commands.size() == kMaxRunningCalls) {
      agents.emplace_back(home);
      agents.back().client.run("bench", "true");
      pids.push_back(agents.back().client.pid());
    }
    SleepingAgent& agent = agents.back();
    agent.commands.push_back(agent.client.send("bench", sleep_command()));
  }
  pids.push_back(home.runner_pid());
  wait_until_there_are(options.sleepers);
  Row row = idle_row("1,000 sleeping commands under way", pids);
  for (SleepingAgent& agent : agents) cancel_all(agent);
  wait_until_there_are(0);
  row.notes = {"over " + std::to_string(agents.size()) +
               " connections; cancelling them left none of them"};
  return row;
}

}  // namespace

std::vector<Row> measure_idle(const Options& options) {
  return {measure_children(options), measure_commands(options)};
}

}  // namespace talaria::bench
