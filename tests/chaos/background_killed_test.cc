// Fifty processes print numbered lines while the controller is killed at random moments, again and
// again; in the second test the runner is. Every line is read exactly once, every end is known, and
// nothing is left.
//
// TALARIA_ROUNDS says how many rounds; `make soak` asks for two hundred.
#include <charconv>
#include <cstdlib>
#include <map>
#include <random>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include "support/process_tool_test.h"

namespace talaria::test {
namespace {

using std::chrono::milliseconds;

constexpr int kProcesses = 50;
constexpr int kBursts = 4;
constexpr int kLinesPerBurst = 25;
constexpr int kFewRounds = 4;

int rounds() {
  const char* wanted = std::getenv("TALARIA_ROUNDS");
  return wanted ? std::atoi(wanted) : kFewRounds;
}

// What one process has shown so far.
struct Watched {
  std::string id;  // empty: not known to have started
  std::string output;
  std::int64_t cursor = 0;
  bool at_end = false;
};

class BackgroundKilledTest : public ProcessToolTest {
 protected:
  // Its own name in the command, so that a start whose answer was lost is recognised.
  static std::string command(const std::string& name, int i) {
    return ": " + name + "; for b in {1.." + std::to_string(kBursts) + "}; do for l in {1.." +
           std::to_string(kLinesPerBurst) + "}; do echo " + name + " $(( (b - 1) * " +
           std::to_string(kLinesPerBurst) + " + l )); done; sleep 0.05; done; " + "exit " +
           std::to_string(i);
  }

  static std::string expected_output(const std::string& name) {
    std::string text;
    for (int line = 1; line <= kBursts * kLinesPerBurst; ++line) {
      text += name + " " + std::to_string(line) + "\n";
    }
    return text;
  }

  // Those that run or ran, by the name in their command.
  static std::map<std::string, json::object> listed(LinesClient& agent) {
    std::map<std::string, json::object> found;
    const json::object list = agent.process({{"action", "list"}});
    for (const json::value& one : list.at("processes").as_array()) {
      const std::string command = text(one.as_object(), "command");
      if (!command.starts_with(": ")) continue;
      const std::string name = command.substr(2, command.find(';') - 2);
      EXPECT_FALSE(found.contains(name)) << name << " runs twice";
      found[name] = one.as_object();
    }
    return found;
  }

  // Reads on where it was left. The new bytes count only once they are here.
  static void read_on(LinesClient& agent, Watched& watched) {
    const json::object read =
        agent.process({{"action", "read"}, {"session_id", watched.id}, {"from", watched.cursor}});
    if (!read.contains("data")) throw std::runtime_error(json::serialize(read));
    EXPECT_EQ(read.at("from").as_int64(), watched.cursor);
    EXPECT_FALSE(read.contains("lost"));
    watched.output += text(read, "data");
    watched.cursor = read.at("next").as_int64();
    watched.at_end = read.at("eof").as_bool();
  }

  std::mt19937 random_{std::random_device{}()};
};

TEST_F(BackgroundKilledTest, NoLineAndNoEndIsLostWithTheController) {
  world_.set("TERMINAL_MAX_FINISHED_PROCESSES", "200");
  for (int round = 0; round < rounds(); ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    std::map<std::string, Watched> all;
    for (int i = 0; i < kProcesses; ++i) all[std::to_string(round) + "x" + std::to_string(i)];
    std::map<std::string, int> announced;  // by id
    const auto code = [](const std::string& name) {
      return std::stoi(name.substr(name.find('x') + 1));
    };
    int kills = 3;
    for (;;) {
      LinesClient agent(world_);
      const bool dies = kills-- > 0;
      const auto dies_at = std::chrono::steady_clock::now() +
                           milliseconds(std::uniform_int_distribution<>(0, 400)(random_));
      const auto is_over = [&] { return dies && std::chrono::steady_clock::now() >= dies_at; };
      agent.ask("events.subscribe", {{"consumer", "test"}, {"ack", "manual"}});
      for (auto& [name, entry] : listed(agent)) {
        if (all.contains(name)) all[name].id = text(entry, "session_id");
      }
      for (auto& [name, watched] : all) {
        if (is_over()) break;
        if (!watched.id.empty()) continue;
        agent.send("terminal", {{"command", command(name, code(name))},
                                {"background", true},
                                {"notify_on_complete", true}});
      }
      bool done = false;
      while (!is_over() && !done) {
        for (auto& [name, entry] : listed(agent)) {
          if (all.contains(name)) all[name].id = text(entry, "session_id");
        }
        done = true;
        for (auto& [name, watched] : all) {
          if (is_over()) break;
          if (!watched.id.empty() && !watched.at_end) read_on(agent, watched);
          done &= watched.at_end;
        }
        for (const json::object& event : agent.events_within(milliseconds(5))) {
          ++announced[text(event, "session_id")];
        }
      }
      agent.program().kill(SIGKILL);
      agent.program().wait();
      for (const json::object& event : agent.events_within(milliseconds(0))) {
        ++announced[text(event, "session_id")];
      }
      if (done && !dies) break;
    }
    LinesClient last(world_);
    last.ask("events.subscribe", {{"consumer", "test"}, {"ack", "manual"}});
    EXPECT_TRUE(eventually([&] {
      for (const json::object& event : last.events_within(milliseconds(10))) {
        ++announced[text(event, "session_id")];
      }
      return std::ranges::all_of(
          all, [&](const auto& entry) { return announced.contains(entry.second.id); });
    })) << "an end was not announced";
    for (const auto& [name, watched] : all) {
      SCOPED_TRACE(name);
      EXPECT_EQ(watched.output, expected_output(name));
      const json::object polled = poll(last, watched.id);
      EXPECT_EQ(text(polled, "status"), "exited");
      EXPECT_EQ(code_of(polled), code(name));
    }
    if (HasFailure()) return;
  }
}

// What a process printed before its runner died can still be read, as far as it got there, and each
// is told as lost.
TEST_F(BackgroundKilledTest, WithTheRunnerEveryProcessIsLostAndSaidToBe) {
  world_.expect_spilled_output();
  world_.set("TERMINAL_MAX_FINISHED_PROCESSES", "200");
  for (int round = 0; round < rounds(); ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    LinesClient agent(world_);
    agent.ask("events.subscribe", {{"consumer", "test"}, {"from", "now"}});
    std::map<std::string, std::string> ids;  // name by id
    for (int i = 0; i < kProcesses; ++i) {
      const std::string name = std::to_string(round) + "x" + std::to_string(i);
      ids[agent.start_process(command(name, i), {{"notify_on_complete", true}})] = name;
    }
    std::this_thread::sleep_for(milliseconds(std::uniform_int_distribution<>(0, 250)(random_)));
    const std::vector<pid_t> shells = world_.runner()->shells();
    std::vector<ProcessName> before;
    for (const pid_t pid : shells) {
      if (const auto name = name_process(pid)) before.push_back(*name);
    }
    world_.runner()->kill(SIGKILL);
    std::map<std::string, json::object> ended;
    const auto take = [&] {
      for (const json::object& event : agent.events_within(milliseconds(10))) {
        if (text(event, "type") != "completion") continue;
        const std::string id = text(event, "session_id");
        if (!ids.contains(id)) continue;
        EXPECT_TRUE(ended.emplace(id, event).second) << id << " ended twice";
      }
      return ended.size() == ids.size();
    };
    agent.run("true");  // the next call finds another runner
    if (!eventually(take)) {
      for (const auto& [id, name] : ids) {
        if (!ended.contains(id)) ADD_FAILURE() << "untold: " << json::serialize(poll(agent, id));
      }
    }
    for (const ProcessName& process : before) {
      EXPECT_TRUE(eventually([&] { return !is_alive(process); })) << process.pid;
    }
    for (const auto& [id, event] : ended) {
      SCOPED_TRACE(id);
      const std::string& name = ids.at(id);
      Watched watched{.id = id};
      read_on(agent, watched);
      EXPECT_TRUE(expected_output(name).starts_with(watched.output)) << watched.output;
      if (text(event, "completion_reason") == "exited") {
        EXPECT_EQ(watched.output, expected_output(name));
      } else {
        EXPECT_EQ(text(event, "completion_reason"), "lost");
        EXPECT_EQ(code_of(event), -1);
      }
    }
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace talaria::test
