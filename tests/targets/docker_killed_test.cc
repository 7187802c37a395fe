// dockerd is killed under a command. Its containers die with it, or go on if it was told to let
// them; either way nothing that was answered is lost, and nothing is made up.
#include <gmock/gmock.h>

#include "os/proc.h"
#include "targets/docker_daemon.h"
#include "targets/target_test.h"

namespace talaria::test {
namespace {

using testing::HasSubstr;

class DockerKilledTest : public TargetTest {
 protected:
  void SetUp() override {
    daemon_ = std::make_unique<DockerDaemon>(world_);
    if (!daemon_->trouble().empty()) GTEST_SKIP() << daemon_->trouble();
    world_.set("DOCKER_HOST", daemon_->host());
    world_.set("DOCKER_CONFIG", daemon_->client());
    world_.set("TERMINAL_ENV", "docker");
    world_.set("TERMINAL_DOCKER_IMAGE", "talaria-test");
    world_.set("TERMINAL_DOCKER_NETWORK", "false");
    world_.set("TERMINAL_CONTAINER_MEMORY", "512");
    world_.set("TERMINAL_SANDBOX_DIR", world_.path("sandboxes"));
    world_.set("TERMINAL_CWD", "");
  }
  void TearDown() override {
    daemon_.reset();
    TargetTest::TearDown();
  }

  // What must not be lost.
  static void leave_state(LinesClient& agent) {
    agent.run("cd /usr; export A=kept; f() { echo f $A; }; echo data >/root/file");
  }
  static constexpr const char* kShowState = "pwd; f; cat /root/file /root/runs";
  static constexpr const char* kState = "/usr\nf kept\ndata\nx";

  // A command that says in a file of this machine that it is under way, each time it is.
  int begin(LinesClient& agent, const std::string& rest) {
    const int call = agent.send({.command = "echo x >>/root/runs; echo begun; " + rest});
    EXPECT_TRUE(appears("sandboxes/docker/default/home/runs"));
    return call;
  }

  std::unique_ptr<DockerDaemon> daemon_;
};

TEST_F(DockerKilledTest, TheCommandUnderWayIsATypedErrorAndTheSessionGoesOn) {
  LinesClient agent(world_);
  leave_state(agent);
  const std::string process = agent.start_process("echo early; sleep 4341.5");
  ASSERT_TRUE(shows(agent, process, "early"));
  const int call = begin(agent, "sleep 4341.5");
  daemon_->kill();
  daemon_->resume();
  const json::object lost = agent.result(call);
  EXPECT_EQ(code_of(lost), -1);
  EXPECT_THAT(error_of(lost), HasSubstr("runner_lost"));
  EXPECT_THAT(error_of(lost), HasSubstr("was not sent again"));

  const json::object after = agent.run(kShowState);
  EXPECT_EQ(output_of(after), kState) << error_of(after);
  EXPECT_THAT(notices_of(after), HasSubstr("had been stopped and was started again"));
  const json::object ended = poll(agent, process);
  EXPECT_EQ(text(ended, "status"), "exited");
  EXPECT_EQ(text(ended, "completion_reason"), "lost");
  EXPECT_THAT(text(ended, "output_preview"), HasSubstr("early"));
  EXPECT_EQ(agent.end(), 0);
}

TEST_F(DockerKilledTest, ToTheCallerNothingHappensIfContainersOutliveIt) {
  daemon_->let_containers_live();
  LinesClient agent(world_);
  leave_state(agent);
  const std::string process =
      agent.start_process("echo early; read x; echo got $x; read x", {{"pty", true}});
  const int call = begin(agent, "until [ -e /root/go ]; do sleep 0.05; done; echo done; exit 7");
  daemon_->kill();
  daemon_->resume();
  std::filesystem::create_directory(world_.path("sandboxes/docker/default/home/go"));
  const json::object result = agent.result(call);
  EXPECT_EQ(output_of(result), "begun\ndone") << error_of(result);
  EXPECT_EQ(code_of(result), 7);
  EXPECT_EQ(output_of(agent.run(kShowState)), kState);
  agent.process({{"action", "submit"}, {"session_id", process}, {"data", "it"}});
  EXPECT_TRUE(shows(agent, process, "got it"));
  kill(agent, process);
  EXPECT_EQ(agent.end(), 0);
}

TEST_F(DockerKilledTest, ACallMeanwhileRunsIfThereIsAWayPastIt) {
  LinesClient agent(world_);
  leave_state(agent);
  daemon_->kill();
  EXPECT_EQ(output_of(agent.run("echo x >>/root/runs; cat /root/runs")), "x");
  const Finished another = world_.exec("cat /root/runs");
  EXPECT_EQ(another.out, "x\n") << another.err;
  world_.set("HERMES_PROFILE", "another");  // which knows of no container
  const Finished first = world_.exec("true");
  EXPECT_EQ(first.code(), 125);
  EXPECT_THAT(first.err, HasSubstr("'docker version' failed. Check your Docker installation."));
  daemon_->resume();  // and ends the containers that outlived it
  const json::object after = agent.run(kShowState);
  EXPECT_EQ(output_of(after), kState) << error_of(after);
  EXPECT_EQ(agent.end(), 0);
}

TEST_F(DockerKilledTest, ACallMeanwhileIsToldSoAndRunsNothingIfThereIsNone) {
  world_.set("TERMINAL_CONTAINER_PERSISTENT", "false");  // the home is in memory
  std::filesystem::create_directory(world_.path("kept"));
  world_.set("TERMINAL_DOCKER_VOLUMES", "[\"" + world_.path("kept") + ":/kept\"]");
  LinesClient agent(world_);
  agent.run("echo x >>/kept/runs");
  daemon_->kill();
  // What was sent before the link broke may have run, for all the agent knows.
  ASSERT_TRUE(eventually([&] { return os::descendants(agent.program().pid()).empty(); }));
  const json::object refused = agent.run("echo y >>/kept/runs");
  EXPECT_EQ(code_of(refused), -1);
  EXPECT_THAT(error_of(refused), HasSubstr("unavailable: container hermes-"));
  EXPECT_THAT(error_of(refused), HasSubstr("docker does not answer"));
  EXPECT_THAT(error_of(refused), HasSubstr("Ensure that it is running and try again"));
  const Finished another = world_.exec("echo y >>/kept/runs");
  EXPECT_EQ(another.code(), 125);
  EXPECT_THAT(another.err, HasSubstr("docker does not answer"));
  daemon_->resume();
  const json::object after = agent.run("cat /kept/runs");
  EXPECT_EQ(output_of(after), "x") << error_of(after);
  EXPECT_EQ(agent.end(), 0);
}

}  // namespace
}  // namespace talaria::test
