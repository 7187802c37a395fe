#include "shell/state.h"

#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace talaria::shell {
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

TEST(SessionState, NamesThatAreNeverKeptAreAlsoAPatternForTheShell) {
  const std::string pattern = "|" + unsaved_variables() + "|";
  for (const char* name : {"|_|", "|PWD|", "|BASH_ENV|", "|HERMES_SESSION_*|", "|OTEL_TRACE*|"}) {
    EXPECT_NE(pattern.find(name), std::string::npos) << name << " in " << pattern;
  }
  EXPECT_EQ(pattern.find("||"), std::string::npos) << pattern;
  EXPECT_EQ(pattern.find("|OLDPWD|"), std::string::npos) << pattern;
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

// Commands of one session, started and ended in any order. Each name has the value of the last one
// to end that changed it.
class Interleaving : public testing::Test {
 protected:
  struct Command {
    ShellState before;
    ShellState after;
    std::map<std::string, std::optional<std::string>> changed;
  };

  std::string pick(std::initializer_list<const char*> from) {
    return *(from.begin() + random_() % from.size());
  }

  Command start() {
    Command command{.before = session_.over({{"INHERITED", "1"}})};
    command.after = command.before;
    for (unsigned i = random_() % 4; i > 0; --i) change(command);
    for (auto it = command.changed.begin(); it != command.changed.end();) {
      const bool same = it->second == value_in(command.before, it->first);
      it = same ? command.changed.erase(it) : std::next(it);
    }
    return command;
  }

  void change(Command& command) {
    const std::string name = pick({"A", "B", "C", "INHERITED"});
    const std::string value = std::to_string(random_() % 3);
    switch (random_() % 6) {
      case 0:
        command.after.variables[name] = value;
        command.changed["v " + name] = value;
        break;
      case 1:
        command.after.variables.erase(name);
        command.changed["v " + name] = std::nullopt;
        break;
      case 2:
        command.after.functions[name] = {value};
        command.changed["f " + name] = value;
        break;
      case 3:
        command.after.functions.erase(name);
        command.changed["f " + name] = std::nullopt;
        break;
      case 4:
        command.after.aliases[name] = value;
        command.changed["a " + name] = value;
        break;
      default:
        command.after.cwd = "/" + value;
        command.changed["cwd"] = "/" + value;
        break;
    }
  }

  static std::optional<std::string> value_in(const ShellState& state, const std::string& what) {
    if (what == "cwd") return state.cwd;
    const std::string name = what.substr(2);
    if (what[0] == 'f') {
      const auto found = state.functions.find(name);
      return found == state.functions.end() ? std::nullopt : std::optional(found->second.text);
    }
    const NameMap& map = what[0] == 'v' ? state.variables : state.aliases;
    const auto found = map.find(name);
    return found == map.end() ? std::nullopt : std::optional(found->second);
  }

  void begin(unsigned seed) {
    random_.seed(seed);
    session_ = {.cwd = "/start"};
    expected_.clear();
  }

  void end(const Command& command) {
    session_.merge(command.before, command.after);
    for (const auto& [what, value] : command.changed) expected_[what] = value;
  }

  std::mt19937 random_;
  SessionState session_;
  std::map<std::string, std::optional<std::string>> expected_;
};

TEST_F(Interleaving, LeavesEachNameAsTheLastToChangeItLeftIt) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    begin(seed);
    std::vector<Command> under_way;
    for (int step = 0; step < 60; ++step) {
      if (under_way.empty() || random_() % 2 == 0) {
        under_way.push_back(start());
      } else {
        const auto which = static_cast<std::ptrdiff_t>(random_() % under_way.size());
        end(under_way[static_cast<std::size_t>(which)]);
        under_way.erase(under_way.begin() + which);
      }
      const ShellState now = session_.over({{"INHERITED", "1"}});
      for (const auto& [what, value] : expected_) ASSERT_EQ(value_in(now, what), value) << what;
    }
  }
}

TEST(ParseEnvironment, KeepsTheFirstOfDuplicatesAndDropsNonsense) {
  EXPECT_EQ(parse_environment({"A=1", "A=2", "=x", "nothing", "B=", "C=a=b"}),
            (NameMap{{"A", "1"}, {"B", ""}, {"C", "a=b"}}));
}

}  // namespace
}  // namespace talaria::shell
