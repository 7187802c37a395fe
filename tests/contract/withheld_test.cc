// 174 of the 257 names that Hermes withholds from commands once reached them. Here all are set, and
// every kind of command on this machine is asked what it has. Other doors: tests/mcp/stdio,
// tests/gateway and tests/targets.
#include <fstream>
#include <string>

#include <gmock/gmock.h>

#include "support/talaria_test.h"
#include "support/withheld_variables.h"

namespace talaria::test {
namespace {

using testing::HasSubstr;

class WithheldTest : public TalariaTest {
 protected:
  WithheldTest() { set_withheld_variables(world_); }

  static std::string words(const std::string& text) {
    const std::size_t end = text.find_last_not_of(" \r\n");
    return end == std::string::npos ? "" : text.substr(0, end + 1);
  }
  // What a background process printed.
  static std::string printed(LinesClient& agent, const json::object& more) {
    const std::string id = agent.start_process(kShowPlanted, more);
    return words(output_of(agent.process({{"action", "wait"}, {"session_id", id}})));
  }
  const std::string inherited_ =
      std::string(kCarried) + " " + std::string(kForScripts);  // and nothing else
};

TEST_F(WithheldTest, NoCommandHasOne) {
  EXPECT_EQ(words(world_.exec(kShowPlanted).out), inherited_);
  EXPECT_EQ(words(world_.run({"exec", "--task", "t", kShowPlanted}).out), inherited_);
  LinesClient agent(world_);
  EXPECT_EQ(words(output_of(agent.run(kShowPlanted))), inherited_);
  EXPECT_EQ(printed(agent, {}), inherited_);
  EXPECT_EQ(printed(agent, {{"pty", true}}), inherited_);
  const json::object script = agent.call("execute_code", {{"code", kShowPlantedByPython}});
  EXPECT_EQ(words(output_of(script)), std::string(kForScripts));
  const json::object inner = agent.call(
      "execute_code", {{"code", "from hermes_tools import terminal\nprint(terminal(\"\"\"" +
                                    std::string(kShowPlanted) + "\"\"\")['output'])"}});
  EXPECT_EQ(words(output_of(inner)), inherited_);
  EXPECT_EQ(agent.end(), 0);
}

// What a person really needs is listed. What is the agent's is refused, and the notice says so.
TEST_F(WithheldTest, AListedNamePassesUnlessItIsTheAgents) {
  std::ofstream(world_.directory("home") + "/config.yaml")
      << "terminal: {env_passthrough: [NPM_TOKEN, GEMINI_API_KEY, HF_TOKEN]}\n";
  EXPECT_EQ(words(world_.exec(kShowPlanted).out), inherited_ + " NPM_TOKEN");
  const std::string notices = world_.run({"config"}).err;
  for (const char* name : {"GEMINI_API_KEY", "HF_TOKEN"}) {
    EXPECT_THAT(notices, HasSubstr("terminal.env_passthrough: " + std::string(name) +
                                   " is a secret of the agent and is not passed; if commands need "
                                   "such a value, store it under another name and pass that"));
  }
  LinesClient agent(world_);
  const json::object refused =
      agent.ask("env.pass_through", {{"names", {"DB_PASSWORD", "GEMINI_API_KEY", "A*"}}});
  ASSERT_EQ(refused.at("refused").as_array().size(), 2u);
  EXPECT_EQ(refused.at("refused").at(0).at("name"), "GEMINI_API_KEY");
  EXPECT_EQ(refused.at("refused").at(1).at("name"), "A*");
  EXPECT_EQ(words(output_of(agent.run(kShowPlanted))), "DB_PASSWORD " + inherited_ + " NPM_TOKEN");
  EXPECT_EQ(agent.end(), 0);
}

TEST_F(WithheldTest, TheDoctorNamesWhatIsWithheldForItsName) {
  const std::string found = world_.run({"doctor"}).out;
  EXPECT_THAT(found, HasSubstr("NPM_TOKEN"));
  EXPECT_THAT(found, HasSubstr("terminal.env_passthrough"));
  EXPECT_THAT(found, testing::Not(HasSubstr("GEMINI_API_KEY")));
  EXPECT_THAT(found, testing::Not(HasSubstr("=planted")));
}

}  // namespace
}  // namespace talaria::test
