// The runner behind a carrier: each home has its own, and a replaced one is reported.
#include <filesystem>
#include <string>

#include <boost/json/serialize.hpp>
#include <gmock/gmock.h>

#include "carriers/carrier_test.h"
#include "os/directory.h"

namespace talaria::test {
namespace {

using testing::HasSubstr;
using testing::Not;

// A carrier that leads to this machine, to another HOME.
class CarrierRunnerTest : public CarrierBase {
 protected:
  void SetUp() override {
    CarrierBase::SetUp();
    there_ = world_.directory("there");
    world_.set("TERMINAL_CARRIER", "env HOME=" + there_);
    world_.set("TERMINAL_CWD", there_);
  }
  void TearDown() override {
    for (const std::string& name : os::names_in(there_ + "/.talaria")) {
      if (name.starts_with("run-")) stop(there_ + "/.talaria/" + name);
    }
    CarrierBase::TearDown();
  }
  static void stop(const std::string& directory) {
    const auto runner = Runner::in(directory);
    if (!runner) return;
    runner->kill(SIGTERM);
    EXPECT_TRUE(runner->wait_gone());
  }
  std::size_t runners() const {
    std::size_t count = 0;
    for (const std::string& name : os::names_in(there_ + "/.talaria")) {
      count += name.starts_with("run-") ? 1 : 0;
    }
    return count;
  }

  std::string there_;
};

// They had the same sessions, and saw each other's processes.
TEST_F(CarrierRunnerTest, HomesThatReachTheSamePlaceHaveSessionsOfTheirOwn) {
  ASSERT_EQ(world_.run({"exec", "--task", "t", "export TOKEN=mine"}).code(), 0);
  const Finished started = world_.run({"start", "sleep 4332.5"});
  ASSERT_EQ(started.code(), 0) << started.err;
  const std::string id = trim_end(started.out);
  const std::string first = world_.path("home");
  world_.set("TALARIA_HOME", world_.directory("other"));
  EXPECT_EQ(world_.run({"exec", "--task", "t", "echo \"<$TOKEN>\""}).out, "<>\n");
  EXPECT_EQ(runners(), 2u);
  EXPECT_THAT(world_.run({"ps", "--all", "--json"}).out, Not(HasSubstr(id)));
  EXPECT_NE(world_.run({"kill", id}).code(), 0);
  world_.set("TALARIA_HOME", first);
  EXPECT_EQ(world_.run({"exec", "--task", "t", "echo \"<$TOKEN>\""}).out, "<mine>\n");
  EXPECT_EQ(runners(), 2u);
  EXPECT_THAT(world_.run({"ps", "--json"}).out, HasSubstr("running"));
  EXPECT_EQ(world_.run({"kill", id}).code(), 0);
}

class ReplacedRunnerTest : public CarrierRunnerTest {
 protected:
  void SetUp() override {
    CarrierRunnerTest::SetUp();
    world_.set("TERMINAL_CARRIER_MODE", "batch");
  }
  // As after the end of a container, with all it kept.
  void lose_runner() {
    const std::string directory = directory_below(there_ + "/.talaria", "run-");
    stop(directory);
    EXPECT_GT(std::filesystem::remove_all(directory), 0u);
  }
};

// Over batches a session began anew without a word: only a connection that ended was a reason to
// ask whether it is still there.
TEST_F(ReplacedRunnerTest, EverySessionIsToldOnceThatItStartsAnew) {
  LinesClient agent(world_);
  for (const char* task : {"a", "b"}) {
    agent.run({.command = "echo x >>" + there_ + "/runs; export A=1", .task = task});
  }
  lose_runner();
  for (const char* task : {"a", "b"}) {
    const json::object first = agent.run(
        {.command = "echo x >>" + there_ + "/runs; echo \"<$A>\"; export A=2", .task = task});
    EXPECT_EQ(output_of(first), "<>") << json::serialize(first);
    EXPECT_THAT(notices_of(first), HasSubstr("This session starts anew")) << task;
    const json::object second = agent.run({.command = "echo \"<$A>\"", .task = task});
    EXPECT_EQ(output_of(second), "<2>") << json::serialize(second);
    EXPECT_THAT(notices_of(second), Not(HasSubstr("starts anew"))) << task;
  }
  EXPECT_EQ(world_.read("there/runs"), "x\nx\nx\nx\n") << "each ran once";
}

TEST_F(ReplacedRunnerTest, AProcessThatIsStartedThenSaysSo) {
  LinesClient agent(world_);
  agent.run("export A=1");
  lose_runner();
  const json::object started = agent.start("echo \"<$A>\"");
  EXPECT_THAT(notices_of(started), HasSubstr("This session starts anew"));
  EXPECT_EQ(text(wait(agent, text(started, "session_id")), "output"), "<>\n");
}

}  // namespace
}  // namespace talaria::test
