// Traps of earlier implementations, at real containers: cleaning up where nothing is, sweeps nobody
// asked for, background work that is seen where it should not be and not ended where it should.
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include <boost/json/serialize.hpp>
#include <gmock/gmock.h>

#include "support/eventually.h"
#include "targets/container_test.h"

namespace talaria::test {
namespace {

using testing::HasSubstr;

class ContainerTrapTest : public ContainerTest {
 protected:
  bool swept() const {
    return std::filesystem::exists(world_.path("home/talaria/swept-") + GetParam().name);
  }
  static json::object poll(LinesClient& agent, const std::string& id) {
    return agent.process({{"action", "poll"}, {"session_id", id}});
  }
};

TEST_P(ContainerTrapTest, CleaningUpWhereNothingWasMadeIsNoError) {
  {
    LinesClient before(world_);
    EXPECT_EQ(before.ask("env.remove", {{"all", true}}).at("removed").as_int64(), 0);
    EXPECT_EQ(before.ask("env.remove", {{"id", "default"}}).at("kind").as_string(), "not_found");
    EXPECT_EQ(before.end(), 0);
  }
  world_.set("TERMINAL_DOCKER_IMAGE", "127.0.0.1:9/no-such-image");
  LinesClient agent(world_);
  const json::object failed = agent.run("true");
  EXPECT_EQ(code_of(failed), -1);
  EXPECT_THAT(error_of(failed), HasSubstr("no-such-image"));
  EXPECT_EQ(agent.ask("env.remove", {{"all", true}, {"force", true}}).at("removed").as_int64(), 0);
  EXPECT_EQ(agent.end(), 0);
  EXPECT_TRUE(containers().empty());
}

TEST_P(ContainerTrapTest, ADisabledReaperIsNotRunAndNotNotedAsRun) {
  world_.set("TERMINAL_DOCKER_ORPHAN_REAPER", "false");
  ASSERT_EQ(world_.exec("true").code(), 0);
  EXPECT_FALSE(swept());
  ASSERT_EQ(world_.run({"env", "rm", "default", "--yes"}).code(), 0);
  world_.set("TERMINAL_DOCKER_ORPHAN_REAPER", "true");
  ASSERT_EQ(world_.exec("true").code(), 0);
  EXPECT_TRUE(swept());
}

TEST_P(ContainerTrapTest, ALifetimeOfNothingIsTwoMinutesToTheReaper) {
  world_.set("TERMINAL_DOCKER_PERSIST_ACROSS_PROCESSES", "false");
  world_.set("TERMINAL_LIFETIME_SECONDS", "0");
  LinesClient agent(world_);
  agent.run("true");
  agent.program().kill(SIGKILL);
  ASSERT_TRUE(agent.program().wait(kPatience));
  const auto reap_at_age = [this](const std::string& age) {
    shell("touch -d '" + age + " ago' '" + world_.path("home") + "'/talaria/leases/c*");
    world_.run({"doctor", "--reap"});
    return containers().size();
  };
  EXPECT_EQ(reap_at_age("60 seconds"), 1u);
  EXPECT_EQ(reap_at_age("121 seconds"), 0u);
}

TEST_P(ContainerTrapTest, LookingAtBackgroundWorkLeavesTheSessionAlone) {
  LinesClient agent(world_);
  agent.run("mkdir -p /tmp/mine; cd /tmp/mine; export A=mine");
  const std::string id =
      agent.start_process("cd /; export A=other; while :; do echo at $PWD $A; sleep 0.05; done");
  ASSERT_TRUE(eventually([&] { return json::serialize(poll(agent, id)).contains("at / other"); }));
  EXPECT_EQ(output_of(agent.run("echo $PWD $A")), "/tmp/mine mine");
  poll(agent, id);
  EXPECT_EQ(output_of(agent.run("echo $PWD $A")), "/tmp/mine mine");
  agent.process({{"action", "kill"}, {"session_id", id}});
  EXPECT_EQ(output_of(agent.run("echo $PWD $A")), "/tmp/mine mine");
}

TEST_P(ContainerTrapTest, ASlowCleanupHoldsNobodyElseUp) {
  const std::string slow = world_.path("slow-engine");
  std::ofstream(slow) << "#!/bin/sh\ncase $1 in stop|rm) sleep 8;; esac\nexec " << GetParam().name
                      << " \"$@\"\n";
  std::filesystem::permissions(slow, std::filesystem::perms::owner_all);
  world_.set("HERMES_DOCKER_BINARY", slow);
  LinesClient agent(world_);
  agent.ask("env.override",
            {{"task", "slow"}, {"overrides", {{"docker_image", engine(GetParam().image)}}}});
  ASSERT_EQ(code_of(agent.run({.command = "true", .task = "slow"})), 0);
  ASSERT_EQ(code_of(agent.run({.command = "true", .task = "other"})), 0);
  ASSERT_EQ(containers().size(), 2u);
  const int removal = 900;
  agent.send_line(R"({"id":900,"method":"env.remove","params":{"id":"slow","force":true}})");
  EXPECT_EQ(output_of(agent.run({.command = "echo here", .task = "other"})), "here");
  EXPECT_THROW(agent.answer(removal, std::chrono::milliseconds(1)), std::runtime_error);
  EXPECT_TRUE(agent.answer(removal, 2 * kPatience).contains("result"));
  EXPECT_EQ(containers().size(), 1u);
}

TEST_P(ContainerTrapTest, ABackgroundProcessStartsInItsWorkdir) {
  LinesClient agent(world_);
  agent.run("mkdir -p /tmp/there; cd /");
  const std::string id = agent.start_process("pwd", {{"workdir", "/tmp/there"}});
  const json::object ended =
      agent.process({{"action", "wait"}, {"session_id", id}, {"timeout", 20}});
  EXPECT_EQ(ended.at("output").as_string(), "/tmp/there\n");
}

TEST_P(ContainerTrapTest, KillingABackgroundProcessEndsItsChildren) {
  LinesClient agent(world_);
  const std::string id = agent.start_process(
      "setsid sleep 1000 & (trap '' TERM; exec sleep 1001) & echo on; sleep 1002");
  ASSERT_TRUE(eventually([&] { return json::serialize(poll(agent, id)).contains("on"); }));
  agent.process({{"action", "kill"}, {"session_id", id}});
  EXPECT_EQ(output_of(agent.run(
                "cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' ' ' | grep -c 'sleep 10[0]'")),
            "0");
}

INSTANTIATE_TEST_SUITE_P(Engines, ContainerTrapTest, testing::ValuesIn(kContainerEngines),
                         engine_name);

}  // namespace
}  // namespace talaria::test
