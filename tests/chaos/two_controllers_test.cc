// Many controllers at one runner, and a controller that meets something else than its runner.
#include <csignal>

#include "support/fake_runner.h"
#include "support/talaria_test.h"

namespace talaria::test {
namespace {

class TwoControllersTest : public TalariaTest {};

TEST_F(TwoControllersTest, ShareOneRunnerAndItsSessions) {
  LinesClient one(world_);
  LinesClient two(world_);
  one.run("export A=from-one");
  EXPECT_EQ(output_of(two.run("echo $A")), "from-one");
  two.run("cd /usr");
  EXPECT_EQ(output_of(one.run("pwd")), "/usr");
  EXPECT_EQ(descendants_named("talaria-runner").size(), 1u);
}

TEST_F(TwoControllersTest, RunCommandsOfOneSessionAtTheSameTime) {
  LinesClient one(world_);
  LinesClient two(world_);
  const std::string meet = "; until [ -e ../a ] && [ -e ../b ]; do sleep 0.01; done; echo met";
  const int first = one.send({.command = "export ONE=1; touch ../a" + meet});
  const int second = two.send({.command = "export TWO=2; touch ../b" + meet});
  EXPECT_EQ(output_of(one.result(first)), "met");
  EXPECT_EQ(output_of(two.result(second)), "met");
  EXPECT_EQ(output_of(two.run("echo $ONE $TWO")), "1 2");
}

TEST_F(TwoControllersTest, DoNotSeeEachOthersOutputOrIds) {
  LinesClient one(world_);
  LinesClient two(world_);
  for (int i = 0; i < 20; ++i) {
    const int first = one.send({.command = "echo one; sleep 0.01", .task = "one"});
    const int second = two.send({.command = "echo two", .task = "two"});
    EXPECT_EQ(output_of(two.result(second)), "two");
    EXPECT_EQ(output_of(one.result(first)), "one");
  }
}

TEST_F(TwoControllersTest, ACancelOfOneDoesNotHitTheOther) {
  LinesClient one(world_);
  LinesClient two(world_);
  const int first = one.send({.command = "touch ../one; sleep 300"});
  const int second =
      two.send({.command = "touch ../two; until [ -e ../go ]; do sleep 0.01; done; echo whole"});
  for (const char* name : {"one", "two"}) {
    ASSERT_TRUE(eventually([&] { return std::filesystem::exists(world_.path(name)); }));
  }
  one.cancel(first);
  EXPECT_EQ(code_of(one.result(first)), 130);
  two.run("touch ../go");
  EXPECT_EQ(output_of(two.result(second)), "whole");
}

TEST_F(TwoControllersTest, ASlowReaderDoesNotHoldTheOther) {
  ProgramSpec spec = world_.spec({"exec", "yes"});
  spec.read_output = false;
  Program slow(spec);
  LinesClient other(world_);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(output_of(other.run("seq 1 2000 | tail -1")), "2000");
  slow.kill(SIGTERM);
  EXPECT_TRUE(slow.wait());
}

TEST_F(TwoControllersTest, ARunnerOfAnotherMajorIsRefusedInWordsAndNothingRuns) {
  std::filesystem::create_directories(world_.runner_directory());
  for (const char* part : {"home/talaria", "home/talaria/run", "home/talaria/run/local"}) {
    std::filesystem::permissions(world_.path(part), std::filesystem::perms::owner_all);
  }
  const FakeRunner other(world_.runner_directory() + "/link-v1.sock", 2);
  const Finished refused = world_.exec("touch ran");
  EXPECT_EQ(refused.code(), 125);
  EXPECT_NE(refused.err.find("protocol 2"), std::string::npos) << refused.err;
  EXPECT_FALSE(std::filesystem::exists(world_.path("work/ran")));
  EXPECT_GE(other.visitors(), 1u);
}

TEST_F(TwoControllersTest, ARunnerOfAnotherMajorBesideOursIsLeftAlone) {
  world_.exec("true");
  const std::string other_socket = world_.runner_directory() + "/link-v2.sock";
  {
    const FakeRunner other(other_socket, 2);
    world_.stop_runner();
    EXPECT_EQ(world_.exec("echo ours").out, "ours\n");
    EXPECT_EQ(other.visitors(), 0u);
    EXPECT_TRUE(std::filesystem::exists(other_socket));
  }
}

TEST_F(TwoControllersTest, ASocketNobodyListensAtIsReplaced) {
  world_.exec("true");
  const Runner runner = *world_.runner();
  runner.kill(SIGKILL);
  EXPECT_TRUE(runner.wait_gone());
  EXPECT_TRUE(std::filesystem::exists(world_.runner_directory() + "/link-v1.sock"));
  EXPECT_EQ(world_.exec("echo new").out, "new\n");
}

TEST_F(TwoControllersTest, AConnectionThatTalksNonsenseHurtsNobody) {
  LinesClient agent(world_);
  agent.run("true");
  const std::string socket = world_.runner_directory() + "/link-v1.sock";
  for (const std::string& text :
       {std::string("GET / HTTP/1.1\r\n\r\n"), std::string(100'000, '\xff'), std::string(9, '\0'),
        std::string("\x05\0\0\0\x63", 5)}) {
    const os::UniqueFd visitor = connect_to(socket);
    ASSERT_TRUE(visitor);
    (void)!::send(visitor.get(), text.data(), text.size(), MSG_NOSIGNAL);
    EXPECT_EQ(output_of(agent.run("echo fine")), "fine");
  }
  for (int i = 0; i < 50; ++i) EXPECT_TRUE(connect_to(socket));  // and hangs up
  EXPECT_EQ(output_of(agent.run("echo fine")), "fine");
}

}  // namespace
}  // namespace talaria::test
