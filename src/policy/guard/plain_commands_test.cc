#include "policy/guard/plain_commands.h"

#include <gtest/gtest.h>

namespace talaria::guard {
namespace {

// The commands between bars, each with what is said of it in front.
std::string shown(std::string_view text) {
  const auto commands = plain_commands(text);
  if (!commands) return "unreadable";
  std::string all;
  for (const PlainCommand& command : *commands) {
    if (!all.empty()) all += " | ";
    if (command.background) all += "&";
    if (command.negated) all += "!";
    if (command.substituted) all += "$";
    for (const std::string& word : command.words) all += "[" + word + "]";
  }
  return all;
}

TEST(PlainCommandsTest, FindsThePrograms) {
  EXPECT_EQ(shown("a 'b c' | d && e; f"), "[a][b c] | [d] | [e] | [f]");
  EXPECT_EQ(shown("X=1 sudo -u bob env -i A=b time -p nice -n 5 a b"), "[a][b]");
  EXPECT_EQ(shown("nohup a"), "[nohup][a]");
  EXPECT_EQ(shown("if a; then b; fi; (c); { d; }"), "[a] | [b] | [c] | [d]");
  EXPECT_EQ(shown("[[ -f x ]]"), "[[[]");
  EXPECT_EQ(shown("a \"$x\" > y 2>&1"), "[a][\"$x\"]");
  EXPECT_EQ(shown("cat <<E\na &\nE"), "[cat]");
  EXPECT_EQ(shown(""), "");
  EXPECT_EQ(shown("a 'b"), "unreadable");
}

TEST(PlainCommandsTest, SaysHowTheyAreRun) {
  EXPECT_EQ(shown("a && b &"), "[a] | &[b]");
  EXPECT_EQ(shown("{ a; } & wait"), "&[a] | [wait]");
  EXPECT_EQ(shown("! a | b"), "![a] | ![b]");
  EXPECT_EQ(shown("a $(b) <(c) `d`"), "$[b] | $[c] | $[d] | [a][$(b)][<(c)][`d`]");
}

}  // namespace
}  // namespace talaria::guard
