// The controller is killed with SIGKILL: it can say nothing to the runner. The runner stays, the
// session's state stays, and a command nobody waits for ends after a while.
#include <csignal>

#include "support/talaria_test.h"

namespace talaria::test {
namespace {

using std::chrono::seconds;

class ControllerKilledTest : public TalariaTest {
 protected:
  static void kill_hard(Program& program) {
    program.kill(SIGKILL);
    EXPECT_TRUE(program.wait());
  }
};

TEST_F(ControllerKilledTest, InMidCommandTheRunnerAndTheSessionStay) {
  LinesClient first(world_);
  first.run("export A=kept; cd /usr");
  const Runner runner = *world_.runner();
  first.send({.command = "echo $$ > " + world_.path("pid") + "; sleep 300"});
  const ProcessName shell = process_in("pid");
  kill_hard(first.program());

  LinesClient second(world_);
  EXPECT_EQ(output_of(second.run("echo $A; pwd")), "kept\n/usr");
  EXPECT_EQ(world_.runner()->instance(), runner.instance());
  EXPECT_TRUE(is_alive(shell));  // it has its 30 seconds for a link that comes back
}

// The one test here that waits for those 30 seconds.
TEST_F(ControllerKilledTest, ItsCommandIsKilledAfterHalfAMinuteWithoutALink) {
  auto talaria = world_.start({"exec", "setsid sh -c 'echo $$ > ../pid; sleep 300' & sleep 300"});
  const ProcessName inner = process_in("pid");
  kill_hard(*talaria);
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_TRUE(eventually([&] { return !is_alive(inner); }, seconds(40)));
  EXPECT_GT(std::chrono::steady_clock::now() - begin, seconds(25));
  EXPECT_EQ(world_.exec("echo next").out, "next\n");
}

TEST_F(ControllerKilledTest, InMidOutputTheRunnerGoesOn) {
  auto talaria = world_.start({"exec", "echo $$ > ../pid; yes"});
  const ProcessName shell = process_in("pid");
  ASSERT_TRUE(talaria->read_until([&] { return talaria->out().size() > 1'000'000; }));
  kill_hard(*talaria);
  const Runner runner = *world_.runner();
  for (int i = 0; i < 5; ++i) EXPECT_EQ(world_.exec("echo next").out, "next\n");
  EXPECT_TRUE(runner.alive());
  EXPECT_TRUE(is_alive(shell));
}

TEST_F(ControllerKilledTest, WithManyCommandsUnderWayAnotherAgentIsNotDisturbed) {
  LinesClient other(world_);
  const int steady = other.send(
      {.command = "until [ -e ../go ]; do sleep 0.01; done; echo whole", .task = "other"});
  LinesClient doomed(world_);
  for (int i = 0; i < 20; ++i)
    doomed.send({.command = "echo x >> ../running; seq 1 100000; sleep 2"});
  ASSERT_TRUE(eventually([&] { return world_.read("running").size() == 40; }));
  kill_hard(doomed.program());
  other.run({.command = "touch ../go", .task = "another"});
  EXPECT_EQ(output_of(other.result(steady)), "whole");
}

TEST_F(ControllerKilledTest, TheRunnersSocketsOfItAreClosed) {
  LinesClient doomed(world_);
  doomed.run("true");
  const Runner runner = *world_.runner();
  ASSERT_TRUE(eventually([&] { return runner.reapers().size() >= 2; }));
  const std::size_t with_it = runner.open_sockets();
  kill_hard(doomed.program());
  EXPECT_TRUE(eventually([&] { return runner.open_sockets() < with_it; }));
}

TEST_F(ControllerKilledTest, WhileItStartsTheRunnerTheNextOneStartsIt) {
  for (int delay_us = 0; delay_us < 20'000; delay_us += 1'300) {
    SCOPED_TRACE(delay_us);
    auto talaria = world_.start({"exec", "true"});
    std::this_thread::sleep_for(std::chrono::microseconds(delay_us));  // the moment of the blow
    kill_hard(*talaria);
    const Finished next = world_.exec("echo fine");
    EXPECT_EQ(next.out, "fine\n") << next.err;
    EXPECT_TRUE(world_.stop_runner());
  }
}

TEST_F(ControllerKilledTest, TheStateOfACommandThatEndsWithoutItIsKept) {
  auto talaria = world_.start(
      {"exec", "--task", "t",
       "touch on; until [ -e go ]; do sleep 0.01; done; export A=kept; echo > ../over"});
  ASSERT_TRUE(eventually([&] { return std::filesystem::exists(world_.path("work/on")); }));
  kill_hard(*talaria);
  world_.exec("touch go");
  ASSERT_TRUE(appears("over"));
  EXPECT_TRUE(
      eventually([&] { return world_.run({"exec", "--task", "t", "echo $A"}).out == "kept\n"; }));
}

}  // namespace
}  // namespace talaria::test
