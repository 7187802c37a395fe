// A thousand children that sleep must cost nothing: neither runner nor controller wakes up. Once as
// background children of one command, once as a thousand commands under way.
#include <list>
#include <utility>

#include "base/limits.h"
#include "bench/background.h"
#include "bench/home.h"
#include "bench/idle_row.h"
#include "bench/lines_client.h"
#include "bench/rows.h"

namespace talaria::bench {
namespace {

constexpr int kSleepers = 1000;

Row measure_children(const Options& options) {
  const int sleepers = options.count(kSleepers);
  const Home home(options.talaria_path);
  LinesClient client(home);
  client.run("bench", "for ((i = 0; i < " + std::to_string(sleepers) + "; i++)); do " +
                          sleep_command() + " & done");
  wait_for_sleepers(sleepers);
  Row row = idle_row(options, "1,000 sleeping background children of one command",
                     {home.runner_pid(), client.pid()});
  home.stop_runner();  // nothing else ends children that a command left behind on purpose
  wait_for_sleepers(0);
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
  const int sleepers = options.count(kSleepers);
  const Home home(options.talaria_path);
  std::list<SleepingAgent> agents;  // each has a bound on its commands under way
  std::vector<pid_t> pids;
  for (int i = 0; i < sleepers; ++i) {
    if (agents.empty() || agents.back().commands.size() == kMaxRunningCalls) {
      agents.emplace_back(home);
      agents.back().client.run("bench", "true");
      pids.push_back(agents.back().client.pid());
    }
    SleepingAgent& agent = agents.back();
    agent.commands.push_back(agent.client.send("bench", sleep_command()));
  }
  pids.push_back(home.runner_pid());
  wait_for_sleepers(sleepers);
  Row row = idle_row(options, "1,000 sleeping commands under way", pids);
  for (SleepingAgent& agent : agents) cancel_all(agent);
  wait_for_sleepers(0);
  row.notes = {"over " + std::to_string(agents.size()) +
               " connections; cancelling them left none of them"};
  return row;
}

}  // namespace

std::vector<Row> measure_idle(const Options& options) {
  return {measure_children(options), measure_commands(options)};
}

}  // namespace talaria::bench
