// Secrets are planted where people keep them, then everything is done that could show one.
#include "support/canary.h"

#include <csignal>
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
  canaries_.look_below(world_.path("place"), {"/other/"});
  world_.run({"exec", "sleep 0.3; : " + secret});
  canaries_.end();
  EXPECT_TRUE(canaries_.has_looked_at("/place/file"));
  EXPECT_FALSE(canaries_.has_looked_at("/elsewhere/"));
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
  canaries_.look_below(world_.path("home"), {"/sessions/"});
  EXPECT_THAT(canaries_.findings(), IsEmpty());
}

// A secret in the text of a background command once stood in the database, in the runner's job
// files and in events, long after its command had ended.
TEST_F(CanaryTest, ASecretInACommandIsInNoRecordOfIt) {
  canaries_.end();  // the shell has it in its command line, as with bash -c
  const std::string key = canaries_.plant_key("a key");
  const std::string password = canaries_.plant("a password");
  const std::string command = "k=" + key + "; : --password " + password + " https://u:" + password +
                              "@h/; echo ${#k}; sleep 300";
  const auto look = [&](const json::object& answer) {
    canaries_.look_at(json::serialize(answer), "an answer");
  };
  LinesClient agent(world_);
  agent.ask("events.subscribe");
  const std::string id = agent.start_process(command, {{"watch_patterns", json::array{"40"}}});
  look(agent.event());
  agent.start_process(command, {{"pty", true}});
  json::object wanted{{"command", command}, {"yield_ms", 300}};
  look(agent.call("terminal", wanted));
  for (const char* action : {"list", "poll", "log"}) {
    look(agent.process({{"action", action}, {"session_id", id}}));
  }
  canaries_.look_at(world_.run({"ps", "--json"}).out, "talaria ps");
  canaries_.look_below(world_.path("home") + "/talaria");
  EXPECT_TRUE(canaries_.has_looked_at("/jobs/" + id));

  // The next runner knows it by what was recorded.
  world_.runner()->kill(SIGKILL);
  world_.expect_spilled_output();
  json::object lost;
  EXPECT_TRUE(eventually([&] {  // the first call may meet the end of the old one
    lost = agent.process({{"action", "poll"}, {"session_id", id}});
    return json::serialize(lost).contains("k=ghp_");
  })) << json::serialize(lost);
  look(lost);
  EXPECT_EQ(agent.end(), 0);
  canaries_.look_at(world_.run({"events", "--all", "--json"}).out, "talaria events");
  canaries_.look_at(world_.run({"audit", "--json"}).out, "talaria audit");
  canaries_.look_below(world_.path("home") + "/talaria");
  for (const char* place : {"/talaria.db", "/audit/", "/jobs/"}) {
    EXPECT_TRUE(canaries_.has_looked_at(place)) << place;
  }
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
  canaries_.look_below(world_.path("home") + "/talaria", {"/sessions/"});
  canaries_.look_below(world_.path("sandboxes"), {"/sessions/"});
  EXPECT_THAT(canaries_.findings(), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Engines, ContainerCanaryTest, testing::ValuesIn(kContainerEngines),
                         engine_name);

}  // namespace
}  // namespace talaria::test
