// Somebody is killed at a random moment, round after round. Whatever it was, the next command
// works, no command ran twice, and at the end nothing is left.
#include <csignal>
#include <random>
#include <set>
#include <sstream>

#include "support/talaria_test.h"

namespace talaria::test {
namespace {

using std::chrono::microseconds;

class RandomKillsTest : public TalariaTest {
 protected:
  // The moment of the blow, up to 30 ms from now.
  void wait_a_moment() { std::this_thread::sleep_for(microseconds(random_() % 30'000)); }

  // Every round's command leaves a line with its own number, at most one.
  void expect_each_at_most_once() {
    std::set<std::string> seen;
    std::istringstream lines(world_.read("runs"));
    for (std::string line; std::getline(lines, line);) {
      EXPECT_TRUE(seen.insert(line).second) << "round " << line << " ran twice";
    }
  }

  static std::string command(int round) {
    return "echo " + std::to_string(round) +
           " >> ../runs; (setsid sleep 20 &) ; seq 1 20000; sleep 0.01; export LAST=" +
           std::to_string(round);
  }

  std::mt19937 random_{7};
};

constexpr int kRounds = 25;

TEST_F(RandomKillsTest, OfControllers) {
  for (int round = 0; round < kRounds; ++round) {
    auto talaria = world_.start({"exec", "--task", "t", command(round)});
    wait_a_moment();
    talaria->kill(SIGKILL);
    EXPECT_TRUE(talaria->wait());
  }
  EXPECT_EQ(world_.run({"exec", "--task", "t", "echo works"}).out, "works\n");
  expect_each_at_most_once();
}

TEST_F(RandomKillsTest, OfRunners) {
  world_.expect_spilled_output();
  LinesClient agent(world_);
  for (int round = 0; round < kRounds; ++round) {
    const int id = agent.send({.command = command(round)});
    wait_a_moment();
    const auto runner = world_.runner();
    if (runner) runner->kill(SIGKILL);
    const json::object result = agent.result(id);
    EXPECT_TRUE(code_of(result) == 0 || !error_of(result).empty());
    // What is sent to a runner that is just dying may have run, and is rightly said to be lost.
    if (runner) EXPECT_TRUE(runner->wait_gone());
  }
  EXPECT_EQ(output_of(agent.run("echo works")), "works");
  expect_each_at_most_once();
}

// Right after a command the runner starts new shells to wait for the next ones.
TEST_F(RandomKillsTest, OfRunnersThatStartShells) {
  for (const int signal : {SIGTERM, SIGKILL}) {
    for (int round = 0; round < kRounds; ++round) {
      EXPECT_EQ(world_.exec("true").code(), 0);
      std::this_thread::sleep_for(microseconds(random_() % 5'000));
      world_.runner()->kill(signal);
      EXPECT_TRUE(world_.runner()->wait_gone());
    }
  }
  EXPECT_EQ(world_.exec("true").code(), 0);
}

TEST_F(RandomKillsTest, OfAnybody) {
  world_.expect_spilled_output();
  LinesClient agent(world_);
  for (int round = 0; round < kRounds; ++round) {
    const int id = agent.send({.command = command(round)});
    wait_a_moment();
    std::vector<pid_t> anybody = descendants_named("talaria-runner");
    for (const char* name : {"talaria-reaper", "bash", "seq"}) {
      for (const pid_t pid : descendants_named(name)) anybody.push_back(pid);
    }
    if (!anybody.empty()) ::kill(anybody[random_() % anybody.size()], SIGKILL);
    agent.result(id);
  }
  EXPECT_TRUE(eventually([&] { return output_of(agent.run("echo works")) == "works"; }));
  expect_each_at_most_once();
}

}  // namespace
}  // namespace talaria::test
