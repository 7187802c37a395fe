#include "shell/state.h"

#include <gtest/gtest.h>

namespace talaria {
namespace {

const NameMap kCaller{{"HOME", "/home/u"}, {"LANG", "C"}, {"HERMES_SESSION_KEY", "old"}};

TEST(SessionState, HoldsADifferenceToTheCallersEnvironment) {
  SessionState session;
  const ShellState before = session.over(kCaller);
  ShellState after = before;
  after.variables["NEW"] = "1";
  after.variables.erase("LANG");
  EXPECT_TRUE(session.merge(before, after));

  const ShellState next = session.over({{"HOME", "/other"}, {"LANG", "de"}});
  EXPECT_EQ(next.variables, (NameMap{{"HOME", "/other"}, {"NEW", "1"}}));
}

TEST(SessionState, IdentityOfTheCallAlwaysComesFromTheCaller) {
  SessionState session;
  const ShellState before = session.over(kCaller);
  ShellState after = before;
  after.variables["HERMES_SESSION_KEY"] = "changed by the command";
  after.variables["SHLVL"] = "7";
  EXPECT_FALSE(session.merge(before, after));
  EXPECT_EQ(session.over({{"HERMES_SESSION_KEY", "new"}}).variables.at("HERMES_SESSION_KEY"),
            "new");
}

TEST(SessionState, CommandsAtTheSameTimeBothKeepTheirChanges) {
  SessionState session;
  session.cwd = "/start";
  const ShellState before = session.over(kCaller);
  ShellState first = before;
  first.variables["A"] = "first";
  first.variables["BOTH"] = "first";
  first.functions["f"] = {"f () \n{ \n    echo\n}\n"};
  first.cwd = "/first";
  ShellState second = before;
  second.variables["B"] = "second";
  second.variables["BOTH"] = "second";
  second.aliases["ll"] = "ls -l";

  session.merge(before, second);
  session.merge(before, first);
  const ShellState now = session.over(kCaller);
  EXPECT_EQ(now.variables.at("A"), "first");
  EXPECT_EQ(now.variables.at("B"), "second");
  EXPECT_EQ(now.variables.at("BOTH"), "first");  // the last finisher
  EXPECT_TRUE(now.functions.contains("f"));
  EXPECT_TRUE(now.aliases.contains("ll"));
  EXPECT_EQ(now.cwd, "/first");
}

TEST(SessionState, ACommandThatDidNotMoveDoesNotMoveTheSessionBack) {
  SessionState session;
  session.cwd = "/start";
  const ShellState before = session.over(kCaller);
  ShellState moved = before;
  moved.cwd = "/moved";
  session.merge(before, moved);
  session.merge(before, before);
  EXPECT_EQ(session.cwd, "/moved");
}

TEST(SessionState, ADeletedDirectoryKeepsTheOldOne) {
  SessionState session;
  session.cwd = "/start";
  const ShellState before = session.over(kCaller);
  ShellState gone = before;
  gone.cwd = "";
  EXPECT_FALSE(session.merge(before, gone));
  EXPECT_EQ(session.cwd, "/start");
}

TEST(ParseEnvironment, KeepsTheFirstOfDuplicatesAndDropsNonsense) {
  EXPECT_EQ(parse_environment({"A=1", "A=2", "=x", "nothing", "B=", "C=a=b"}),
            (NameMap{{"A", "1"}, {"B", ""}, {"C", "a=b"}}));
}

}  // namespace
}  // namespace talaria
