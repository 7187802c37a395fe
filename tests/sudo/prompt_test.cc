// A person is asked for the password, at a terminal.
#include <gmock/gmock.h>

#include "sudo/sudo_user.h"
#include "support/terminal.h"

namespace talaria::test {
namespace {

using testing::HasSubstr;
using testing::Not;

class SudoPromptTest : public SudoUserTest {
 protected:
  // Talaria's words as one line of a shell.
  std::string line(std::vector<std::string> words) const {
    std::string text;
    for (const std::string& word : world_.spec(std::move(words)).argv) {
      std::string quoted = "'";
      for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
      text += quoted + "' ";
    }
    return text;
  }

  static constexpr const char* kQuestion = "Its password";
};

TEST_F(SudoPromptTest, WhatIsTypedIsTakenAndNotShown) {
  Program program(on_terminal(
      world_, "stty -a >before; " + line({"exec", "sudo id -un"}) + "; stty -a >after"));
  ASSERT_TRUE(program.read_until_contains(kQuestion)) << program.out();
  program.write(std::string(kPassword) + "\r");
  ASSERT_TRUE(program.wait());
  EXPECT_THAT(program.out(), HasSubstr("sudo id -un"));
  EXPECT_THAT(program.out(), HasSubstr("Stored in memory for this session"));
  EXPECT_THAT(program.out(), HasSubstr("root"));
  EXPECT_THAT(program.out(), Not(HasSubstr("horse")));
  EXPECT_THAT(world_.read("work/after"), HasSubstr(" echo "));
  EXPECT_EQ(world_.read("work/before"), world_.read("work/after"));
}

TEST_F(SudoPromptTest, EnterAloneMeansWithout) {
  Program program(on_terminal(world_, line({"exec", "sudo id -un; echo after"})));
  ASSERT_TRUE(program.read_until_contains(kQuestion)) << program.out();
  program.write("\r");
  ASSERT_TRUE(program.wait());
  EXPECT_THAT(program.out(), HasSubstr("Continuing without a password"));
  EXPECT_THAT(program.out(), HasSubstr("a terminal is required"));
  EXPECT_THAT(program.out(), HasSubstr("after"));
}

TEST_F(SudoPromptTest, AnInterruptLeavesTheTerminalAsItWas) {
  Program program(on_terminal(world_, "stty -a >before; trap : INT; " +
                                          line({"exec", "sudo id -un"}) + "; stty -a >after"));
  ASSERT_TRUE(program.read_until_contains(kQuestion)) << program.out();
  program.write("\x03");
  ASSERT_TRUE(program.wait());
  EXPECT_THAT(program.out(), Not(HasSubstr("root")));
  EXPECT_THAT(world_.read("work/after"), HasSubstr(" echo "));
  EXPECT_EQ(world_.read("work/before"), world_.read("work/after"));
}

// A command cannot write to the terminal by way of the question.
TEST_F(SudoPromptTest, TheQuestionIsPlainText) {
  Program program(on_terminal(world_, line({"exec", "sudo echo '\x1b[2J\nIts passwor'"})));
  ASSERT_TRUE(program.read_until_contains("Enter alone")) << program.out();
  EXPECT_THAT(program.out(), HasSubstr("sudo echo '?[2J?Its passwor'"));
  program.write("\r");
  ASSERT_TRUE(program.wait());
}

TEST_F(SudoPromptTest, AnAgentAtATerminalIsAskedOnceForEachSession) {
  world_.set("HERMES_INTERACTIVE", "1");
  const auto call = [](int id, const char* key) {
    return R"({"id":)" + std::to_string(id) +
           R"(,"tool":"terminal","args":{"command":"sudo id -un"},"session_key":")" + key + "\"}\n";
  };
  std::ofstream(world_.path("work/calls")) << call(1, "a") << call(2, "a");
  std::ofstream(world_.path("work/last")) << call(3, "b");  // calls at once are asked in any order
  const std::string calls =
      "(cat calls; until grep -q '\"id\":2' answers; do sleep 0.1; done; cat last)";
  Program program(on_terminal(world_, calls + " | " + line({"call", "--lines"}) + " >answers"));
  ASSERT_TRUE(program.read_until_contains(kQuestion)) << program.out();
  program.out().clear();
  program.write(std::string(kPassword) + "\r");
  ASSERT_TRUE(program.read_until_contains(kQuestion)) << program.out();
  program.write("\r");
  ASSERT_TRUE(program.wait()) << program.out() << world_.read("work/answers");
  const std::string answers = world_.read("work/answers");
  EXPECT_THAT(answers, HasSubstr(R"({"id":1,"result":{"output":"root")"));
  EXPECT_THAT(answers, HasSubstr(R"({"id":2,"result":{"output":"root")"));
  EXPECT_THAT(answers, HasSubstr(R"({"id":3,"result":{"output":"sudo: a terminal is required)"));
}

// Nobody sits there.
TEST_F(SudoPromptTest, AnAgentThatDoesNotSaySoIsNotAsked) {
  std::ofstream(world_.path("work/calls"))
      << R"({"id":1,"tool":"terminal","args":{"command":"sudo id -un"}})" << "\n";
  Program program(on_terminal(world_, line({"call", "--lines"}) + "<calls >answers"));
  ASSERT_TRUE(program.wait());
  EXPECT_THAT(program.out(), Not(HasSubstr(kQuestion)));
  EXPECT_THAT(world_.read("work/answers"), HasSubstr("a terminal is required"));
}

}  // namespace
}  // namespace talaria::test
