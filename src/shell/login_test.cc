#include "shell/login.h"

#include <gtest/gtest.h>

#include "base/hash.h"

namespace talaria::shell {
namespace {

using testing::Test;

TEST(LoginPath, PutsWhatTheLoginAddedInFrontAndKeepsTheCallersOrder) {
  EXPECT_EQ(login_path("/home/u/bin:/usr/bin:/bin", "/venv/bin:/usr/bin:/bin"),
            "/home/u/bin:/venv/bin:/usr/bin:/bin");
}

TEST(LoginPath, PutsWhatTheLoginHasBehindCommonEntriesBehind) {
  EXPECT_EQ(login_path("/usr/bin:/usr/games", "/venv/bin:/usr/bin:/bin"),
            "/venv/bin:/usr/bin:/bin:/usr/games");
}

TEST(LoginPath, LosesNothingWhenNothingIsCommon) {
  EXPECT_EQ(login_path("/a:/b", "/c"), "/a:/b:/c");
  EXPECT_EQ(login_path("", "/c"), "/c");
  EXPECT_EQ(login_path("/a", ""), "/a");
}

TEST(LoginPath, HasNoEntryTwiceAndNoEmptyOne) {
  EXPECT_EQ(login_path("/a:/a::/u", "/u:/u:"), "/a:/u");
}

TEST(ExpandInitFile, ReadsHomeAndVariablesAsAShellDoes) {
  const NameMap variables{{"X", "/x"}, {"EMPTY", ""}};
  EXPECT_EQ(expand_init_file("~/rc", "/h", variables), "/h/rc");
  EXPECT_EQ(expand_init_file("$X/rc", "/h", variables), "/x/rc");
  EXPECT_EQ(expand_init_file("${X}y/rc", "/h", variables), "/xy/rc");
  EXPECT_EQ(expand_init_file("/a$EMPTY$NONE/b", "/h", variables), "/a/b");
  EXPECT_EQ(expand_init_file("relative", "/h", variables), "/h/relative");
}

TEST(ExpandInitFile, LeavesADollarThatNamesNothing) {
  EXPECT_EQ(expand_init_file("/a$/b", "/h", {}), "/a$/b");
  EXPECT_EQ(expand_init_file("/a${X", "/h", {}), "/a${X");
  EXPECT_EQ(expand_init_file("/a$1", "/h", {}), "/a$1");
}

std::string line(std::string_view source, std::string_view command) {
  return "+\001n" + std::string(source) + "\003/cwd\0031\002" + std::string(command) + "\n";
}

TEST(LoginTrace, NamesFilesByTheirCommandsAndByWhoReadsThem) {
  const LoginTrace trace =
      parse_trace(line("", "builtin . /etc/profile") + line("/etc/profile", "echo '. /not/this'") +
                      line("/etc/profile", "source '/home/a b/rc'") + line("/home/a b/more", ":"),
                  "n");
  EXPECT_EQ(trace.read,
            (std::vector<std::string>{"/etc/profile", "/home/a b/rc", "/home/a b/more"}));
  EXPECT_EQ(trace.last, "/home/a b/more");
}

TEST(LoginTrace, NamesWhatWasLookedFor) {
  const LoginTrace trace =
      parse_trace(line("/rc", "[[ -f /a ]]") + line("/rc", "'[' -r /b ']'") +
                      line("/rc", "test -d '/c d'") + line("/rc", "ls /not/this"),
                  "n");
  EXPECT_EQ(trace.looked_for, (std::vector<std::string>{"/a", "/b", "/c d"}));
}

TEST(LoginTrace, TakesNoMarkOfAnothersAndNoCutLine) {
  EXPECT_TRUE(parse_trace("+\001other/etc/x\0031\002:\n", "n").read.empty());
  EXPECT_TRUE(parse_trace("+\001n/etc/x", "n").read.empty());
  EXPECT_TRUE(parse_trace("", "n").read.empty());
}

TEST(LoginChange, LeavesOutWhatIsWithheld) {
  const ShellState before{.variables = {{"PATH", "/bin"}}};
  ShellState after = before;
  after.variables.insert({{"KEY", "s"}, {"SLACK_A", "s"}, {"SLACKER", "ok"}, {"A", "1"}});
  const auto state = login_change(before, after, "n", {"KEY", "SLACK_*"}).state;
  EXPECT_FALSE(state.variables.contains("KEY"));
  EXPECT_FALSE(state.variables.contains("SLACK_A"));
  EXPECT_TRUE(state.variables.contains("SLACKER"));
  EXPECT_TRUE(state.variables.contains("A"));
}

TEST(LoginChange, KnowsWhetherTheEndWasReached) {
  ShellState after;
  EXPECT_FALSE(login_change({}, after, "n", {}).reached_end);
  after.variables["TALARIA_LOGIN_DONE"] = "n";
  const LoginChange change = login_change({}, after, "n", {});
  EXPECT_TRUE(change.reached_end);
  EXPECT_TRUE(change.state.variables.empty());
}

TEST(LoginChange, GivesTheCallersPromptForTracesBack) {
  const ShellState state{.variables = {{"PS4", "mine "}}};
  EXPECT_TRUE(login_change(state, state, "n", {}).state.variables.empty());
}

TEST(CollectNames, FindsEveryWordThatCouldBeAName) {
  std::vector<std::uint64_t> names;
  collect_names("export A_1=${B:-c}; [ -v D ]", names);
  std::vector<std::uint64_t> expected;
  for (const char* name : {"export", "A_1", "B", "c", "v", "D"}) {
    expected.push_back(hash_text(name));
  }
  EXPECT_EQ(names, expected);
}

}  // namespace
}  // namespace talaria::shell
