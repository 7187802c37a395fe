// What a command costs beside its own work. bench/ measures; this only finds what is wrong by an
// order of magnitude, on a busy machine, too.
#include <algorithm>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "support/step_counter.h"
#include "support/talaria_test.h"

namespace talaria::test {
namespace {

using std::chrono::milliseconds;

// How long a process has been on a CPU.
std::chrono::nanoseconds cpu_time(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/schedstat");
  std::int64_t nanoseconds = 0;
  file >> nanoseconds;
  return std::chrono::nanoseconds(nanoseconds);
}

class CostTest : public TalariaTest {
 protected:
  // What a process does for a command in a session that is often used. The best of some.
  static std::uint64_t steps_of_command(LinesClient& agent, pid_t pid) {
    std::uint64_t least = UINT64_MAX;
    for (int i = 0; i < 2; ++i) {
      EXPECT_EQ(code_of(agent.run({.command = "true", .task = "hot"})), 0);
      std::this_thread::sleep_for(milliseconds(200));  // its next shell is started
      StepCounter counter(pid);
      const int id = agent.send({.command = "true", .task = "hot"});
      EXPECT_EQ(code_of(agent.result(id, std::chrono::seconds(100))), 0);
      least = std::min(least, counter.stop());
    }
    return least;
  }

  static void make_sessions(LinesClient& agent, int from, int to) {
    for (int i = from; i < to; ++i) {
      EXPECT_EQ(
          code_of(agent.run({.command = "export A=1", .task = "session-" + std::to_string(i)})), 0);
    }
  }
};

TEST_F(CostTest, TrueIsQuick) {
  LinesClient agent(world_);
  auto best = std::chrono::steady_clock::duration::max();
  for (int i = 0; i < 20; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_EQ(code_of(agent.run("true")), 0);
    best = std::min(best, std::chrono::steady_clock::now() - begin);
  }
  EXPECT_LT(best, milliseconds(60));
}

#if !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)  // whose steps are many
// Of the controller for `true`: 242,000 in a hardened build, and room for other compilers and
// libraries. It was a fifth more when the line of the audit log was copied twice and results were
// written to be counted.
constexpr std::uint64_t kMostControllerSteps = 275'000;

// Steps are counted, not time: what walks over all sessions shows on a busy machine, too.
TEST_F(CostTest, ACommandTakesNoMoreStepsBecauseThereAreManySessions) {
  LinesClient agent(world_);
  make_sessions(agent, 0, 20);
  const pid_t runner = world_.runner()->pid();
  const std::uint64_t runner_before = steps_of_command(agent, runner);
  const std::uint64_t controller_before = steps_of_command(agent, agent.program().pid());
  make_sessions(agent, 20, 400);
  const std::uint64_t runner_after = steps_of_command(agent, runner);
  const std::uint64_t controller_after = steps_of_command(agent, agent.program().pid());
  EXPECT_GT(runner_before, 1000u);
  EXPECT_GT(controller_before, 1000u);
  EXPECT_LT(controller_before, kMostControllerSteps);
  EXPECT_LT(runner_after, runner_before + runner_before / 5) << runner_before;
  EXPECT_LT(controller_after, controller_before + controller_before / 5) << controller_before;
}
#endif

// A reaper had 35 for each command and the runner 50, most of them for the shell of the next one.
TEST_F(CostTest, ACommandTakesFewSystemCallsOfRunnerAndReapers) {
  LinesClient agent(world_);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(code_of(agent.run("true")), 0);
  std::this_thread::sleep_for(milliseconds(500));  // its next shells are started
  const Runner runner = *world_.runner();
  constexpr auto kCalls = StepCounter::Unit::system_calls;
  StepCounter of_runner(runner.pid(), kCalls);
  std::vector<std::unique_ptr<StepCounter>> of_reapers;
  for (const pid_t pid : runner.reapers()) {
    of_reapers.push_back(std::make_unique<StepCounter>(pid, kCalls));
  }
  constexpr int kCommands = 10;
  for (int i = 0; i < kCommands; ++i) EXPECT_EQ(code_of(agent.run("true")), 0);
  std::this_thread::sleep_for(milliseconds(500));
  const std::uint64_t runner_calls = of_runner.stop() / kCommands;
  std::uint64_t reaper_calls = 0;
  for (const auto& counter : of_reapers) reaper_calls += counter->stop();
  reaper_calls /= kCommands;
  EXPECT_GT(runner_calls, 10u);
  EXPECT_GT(reaper_calls, 5u);
  EXPECT_LE(runner_calls, 47u);
  EXPECT_LE(reaper_calls, 16u);
}

// OpenSSL was linked into the program: half of the addresses that the loader wrote at each start.
TEST_F(CostTest, OpenSslIsNotThereUntilItIsNeeded) {
  LinesClient agent(world_);
  EXPECT_EQ(code_of(agent.run("true")), 0);
  const std::string process = "/proc/" + std::to_string(agent.program().pid());
  const auto content = [](const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return std::string{std::istreambuf_iterator<char>(file), {}};
  };
  const std::string libraries = content(process + "/maps");
  EXPECT_TRUE(libraries.contains("libc.so")) << libraries;
  EXPECT_FALSE(libraries.contains("libssl")) << libraries;
  EXPECT_FALSE(content(process + "/exe").contains("ssl3_read_bytes"));  // a function in it
}

TEST_F(CostTest, WaitingForALongCommandCostsNothing) {
  LinesClient agent(world_);
  agent.run("true");
  const int id = agent.send({.command = "touch ready; sleep 3"});
  ASSERT_TRUE(eventually([&] { return std::filesystem::exists(world_.path("work/ready")); }));
  const pid_t runner = world_.runner()->pid();
  const auto before = cpu_time(agent.program().pid()) + cpu_time(runner);
  ASSERT_GT(before.count(), 0);
  EXPECT_EQ(code_of(agent.result(id)), 0);
  const auto spent = cpu_time(agent.program().pid()) + cpu_time(runner) - before;
  EXPECT_LT(spent, milliseconds(60)) << spent.count() << " ns in three seconds";
}

}  // namespace
}  // namespace talaria::test
