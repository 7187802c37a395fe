// What commands elsewhere get of this machine's environment: nothing that was not asked for.
#include <fstream>
#include <string>

#include "support/withheld_variables.h"
#include "targets/container_test.h"
#include "targets/ssh_test.h"

namespace talaria::test {
namespace {

const std::string kOnlyCarried(kCarried);

// A passed name that is the agent's stays here; one that is named for the target goes.
void configure_names(const World& world) {
  std::ofstream(world.directory("home") + "/config.yaml")
      << "terminal: {env_passthrough: [NPM_TOKEN, GEMINI_API_KEY]}\n";
}

class ContainerWithheldTest : public ContainerTest {};

TEST_P(ContainerWithheldTest, CommandsHaveWhatWasNamedForThem) {
  set_withheld_variables(world_);
  EXPECT_EQ(trim_end(world_.exec(kShowPlanted).out), kOnlyCarried);
  configure_names(world_);
  world_.set("TERMINAL_DOCKER_FORWARD_ENV", R"(["HF_TOKEN"])");
  LinesClient agent(world_);
  const std::string named = kOnlyCarried + " HF_TOKEN NPM_TOKEN";
  EXPECT_EQ(output_of(agent.run(kShowPlanted)), named);
  const std::string id = agent.start_process(kShowPlanted, {{"pty", true}});
  EXPECT_EQ(trim_end(output_of(agent.process({{"action", "wait"}, {"session_id", id}}))),
            named + "\r");  // a terminal's line
  EXPECT_EQ(agent.end(), 0);
}

INSTANTIATE_TEST_SUITE_P(Engines, ContainerWithheldTest, testing::ValuesIn(kContainerEngines),
                         engine_name);

class SshWithheldTest : public SshTest {};

TEST_F(SshWithheldTest, CommandsHaveWhatWasNamedForThem) {
  set_withheld_variables(world_);
  EXPECT_EQ(trim_end(world_.exec(kShowPlanted).out), kOnlyCarried);
  configure_names(world_);
  LinesClient agent(world_);
  EXPECT_EQ(output_of(agent.run(kShowPlanted)), kOnlyCarried + " NPM_TOKEN");
  EXPECT_EQ(agent.end(), 0);
}

}  // namespace
}  // namespace talaria::test
