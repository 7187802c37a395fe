// `talaria guard explain`: what it prints, for people and for programs. It runs nothing.
#include <fstream>
#include <sstream>

#include <boost/json/parse.hpp>
#include <gmock/gmock.h>

#include "support/talaria_test.h"

namespace talaria::test {
namespace {

namespace json = boost::json;
using testing::HasSubstr;
using testing::StartsWith;

class GuardExplainTest : public TalariaTest {
 protected:
  json::object json_of(const std::string& command) {
    return json::parse(world_.run({"guard", "explain", "--json", command}).out).as_object();
  }
};

TEST_F(GuardExplainTest, SaysWhichRuleFiredAndWhatWouldRun) {
  const Finished said = world_.run({"guard", "explain", "cd x && sudo rm -rf \"$d\""});
  EXPECT_EQ(said.code(), 0);
  EXPECT_THAT(said.out, StartsWith("ask: "));
  EXPECT_THAT(said.out, HasSubstr("recursive delete"));
  EXPECT_THAT(said.out, HasSubstr("\nsudo rm -rf …\n"));
}

TEST_F(GuardExplainTest, JsonHasVerdictRulesAndCommands) {
  const json::object denied = json_of("echo a; r''m -rf /");
  EXPECT_EQ(denied.at("verdict"), "deny");
  EXPECT_EQ(denied.at("rules").at(0).at("class"), "hardline");
  EXPECT_EQ(denied.at("commands"),
            (json::array{json::array{"echo", "a"}, json::array{"rm", "-rf", "/"}}));
  EXPECT_EQ(json_of("ls").at("verdict"), "allow");
  EXPECT_EQ(json_of("ls").at("rules"), json::array());
  EXPECT_EQ(json_of("git reset --hard").at("verdict"), "ask");
}

// It once said "allow" of what the configuration forbids.
TEST_F(GuardExplainTest, RulesOfTheConfigurationCount) {
  world_.directory("home");
  std::ofstream(world_.path("home/config.yaml"))
      << "approvals:\n  rules:\n    - {answer: deny, argv: [git, push]}\n"
         "    - {answer: ask, argv: [make], target: ssh}\n";
  EXPECT_EQ(json_of("git push").at("verdict"), "deny");
  EXPECT_EQ(json_of("git push").at("rules").at(0).at("class"), "user");
  EXPECT_EQ(json_of("make").at("verdict"), "allow");
  EXPECT_THAT(world_.run({"guard", "explain", "--target", "ssh", "make"}).out, StartsWith("ask: "));
  const Finished refused = world_.run({"guard", "explain", "--target", "nope", "make"});
  EXPECT_EQ(refused.code(), 2);
  EXPECT_THAT(refused.err, HasSubstr("--target: expected one of local, docker"));
}

TEST_F(GuardExplainTest, LinesAreAnsweredOneByOneAndGarbageDoesNotEndIt) {
  const Finished said = world_.run({"guard", "explain", "--lines"},
                                   "\"ls\"\n{garbage\n42\n\"reboot\"\n\n\"echo \\u00e9\"");
  EXPECT_EQ(said.code(), 0);
  std::istringstream lines(said.out);
  std::vector<json::object> answers;
  for (std::string line; std::getline(lines, line);) {
    answers.push_back(json::parse(line).as_object());
  }
  ASSERT_EQ(answers.size(), 6u);
  EXPECT_EQ(answers[0].at("verdict"), "allow");
  EXPECT_TRUE(answers[1].contains("error"));
  EXPECT_TRUE(answers[2].contains("error"));
  EXPECT_EQ(answers[3].at("verdict"), "deny");
  EXPECT_TRUE(answers[4].contains("error"));
  EXPECT_EQ(answers[5].at("commands").at(0).at(1), "é");
}

TEST_F(GuardExplainTest, TheRulesHoldForTheirExamples) {
  EXPECT_EQ(world_.run({"guard", "explain", "--self-test"}).code(), 0);
}

TEST_F(GuardExplainTest, WantsOneCommand) {
  EXPECT_EQ(world_.run({"guard", "explain"}).code(), 2);
  EXPECT_EQ(world_.run({"guard", "explain", "--lines", "ls"}).code(), 2);
}

}  // namespace
}  // namespace talaria::test
