// Secrets are planted where people keep them, then everything is done that could show one.
#include "support/canary.h"

#include <fstream>

#include <boost/json/serialize.hpp>
#include <gmock/gmock.h>

#include "targets/container_test.h"

namespace talaria::test {
namespace {

using testing::IsEmpty;

// The environments of everything a command comes from.
constexpr const char* kLookUp =
    "p=$$; while [ \"$p\" -gt 1 ]; do cat /proc/$p/environ; read -r a b c p d </proc/$p/stat; done "
    "2>/dev/null | tr '\\0' '\\n'";

// What an agent does all day, and a little more: it also looks around for secrets.
void live(LinesClient& agent, Canaries& canaries) {
  const auto look = [&](const json::object& answer) {
    canaries.look_at(json::serialize(answer), "an answer");
  };
  look(agent.run("env; set; export -p"));
  look(agent.run(kLookUp));
  look(agent.run("no-such-program; cd /no/such; exit 3"));
  look(agent.run({.command = "sleep 60", .timeout = 1}));
  const std::string id = agent.start_process("echo begun; sleep 60", {{"pty", true}});
  look(agent.process({{"action", "poll"}, {"session_id", id}}));
  look(agent.process({{"action", "list"}}));
  look(agent.process({{"action", "screen"}, {"session_id", id}}));
  look(agent.process({{"action", "kill"}, {"session_id", id}}));
  look(agent.process({{"action", "log"}, {"session_id", id}}));
  look(agent.ask("env.list"));
}

class CanaryTest : public TargetTest {
 protected:
  void TearDown() override {
    canaries_.end();
    TargetTest::TearDown();
  }
  Canaries canaries_;
};

TEST_F(CanaryTest, TheSearchFindsWhatIsThere) {
  const std::string secret = canaries_.plant("mine");
  std::ofstream(world_.directory("place") + "/file") << "x" << secret << "y";
  canaries_.look_below(world_.path("place"), "/other/");
  world_.run({"exec", "sleep 0.3; : " + secret});
  const auto found = canaries_.findings();
  EXPECT_TRUE(found.contains("mine in " + world_.path("place") + "/file"));
  EXPECT_TRUE(found.contains("mine in the command line of " + World::talaria()));
}

TEST_F(CanaryTest, NoSecretOfTheCallersEnvironmentIsAnywhere) {
  for (const char* name :
       {"OPENAI_API_KEY", "TOOL_GATEWAY_USER_TOKEN", "GITHUB_TOKEN", "MODAL_TOKEN_SECRET"}) {
    world_.set(name, canaries_.plant(name));
  }
  std::ofstream(world_.directory("home") + "/.env")
      << "ANTHROPIC_API_KEY=" << canaries_.plant("the .env file") << "\n";
  {
    LinesClient agent(world_);
    live(agent, canaries_);
    canaries_.look_at_environments_of("talaria-runner");
    EXPECT_EQ(agent.end(), 0);
  }
  world_.run({"doctor"});
  canaries_.look_below(world_.path("home") + "/talaria");
  canaries_.look_at(world_.run({"config", "--json"}).out, "talaria config");
  EXPECT_THAT(canaries_.findings(), IsEmpty());
  EXPECT_GT(canaries_.rounds(), 10);
}

// What a session exports is in its state, which is for its owner alone, and nowhere else.
TEST_F(CanaryTest, AnExportedSecretIsInTheSessionsStateOnly) {
  const std::string secret = canaries_.plant("exported");
  LinesClient agent(world_);
  std::ofstream(world_.path("secret")) << secret;
  agent.run("export MY_TOKEN=$(cat " + world_.path("secret") + ")");
  canaries_.look_at(json::serialize(agent.run("env | grep MY_TOKEN")), "an answer");
  EXPECT_EQ(agent.end(), 0);
  canaries_.look_at_environments_of("talaria-runner");
  canaries_.look_below(world_.path("home"), "/sessions/");
  EXPECT_THAT(canaries_.findings(), IsEmpty());
}

class ContainerCanaryTest : public ContainerTest {
 protected:
  void TearDown() override {
    canaries_.end();
    ContainerTest::TearDown();
  }
  Canaries canaries_;
};

TEST_P(ContainerCanaryTest, VariablesOfContainersAreSeenByTheirCommandsAlone) {
  world_.set("TERMINAL_DOCKER_ENV", R"({"MADE_TOKEN":")" + canaries_.plant("docker_env") + "\"}");
  world_.set("TERMINAL_DOCKER_FORWARD_ENV", R"(["GITHUB_TOKEN"])");
  world_.set("GITHUB_TOKEN", canaries_.plant("docker_forward_env"));
  world_.set("OPENAI_API_KEY", canaries_.plant("environment"));
  {
    LinesClient agent(world_);
    live(agent, canaries_);
    EXPECT_EQ(output_of(agent.run("[ -n \"$MADE_TOKEN\" -a -n \"$GITHUB_TOKEN\" ]; echo $?")), "0");
    EXPECT_EQ(agent.end(), 0);
  }
  canaries_.look_below(world_.path("home") + "/talaria", "/sessions/");
  canaries_.look_below(world_.path("sandboxes"), "/sessions/");
  EXPECT_THAT(canaries_.findings(), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Engines, ContainerCanaryTest, testing::ValuesIn(kContainerEngines),
                         engine_name);

}  // namespace
}  // namespace talaria::test
