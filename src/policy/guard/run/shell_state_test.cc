#include "policy/guard/run/shell_state.h"

#include <gtest/gtest.h>

namespace talaria::guard {
namespace {

SeenCommand words_of(const std::vector<std::string>& words) {
  SeenCommand command;
  for (const std::string& word : words) command.words.push_back({word});
  return command;
}

class ShellStateTest : public testing::Test {
 protected:
  // A builtin, where the shell is.
  SeenCommand here(const std::vector<std::string>& words) {
    SeenCommand command = words_of(words);
    const Place where = state_.place();
    command.directory = where.directory;
    command.from_start = where.from_start;
    return command;
  }

  // What a variable may be, between bars.
  std::string values(std::string_view name) {
    std::string all;
    for (const Value& value : state_.variables().all(name).values) {
      all += all.empty() ? "" : "|";
      if (value->kind == ShellValue::Kind::unset) all += "unset";
      if (value->kind == ShellValue::Kind::unknown) all += "?";
      if (value->kind == ShellValue::Kind::outside) all += "outside";
      for (const SeenWord& item : value->items) all += "[" + item.text + "]";
    }
    return all;
  }

  GuardContext context_{.home = "/home/alice", .directory = "/srv"};
  Findings findings_;
  Situation now_;
  ShellState state_{context_, findings_, now_};
};

TEST_F(ShellStateTest, ADirectoryKeepsWhetherItDependsOnTheStart) {
  EXPECT_EQ(state_.place().directory, "/srv");
  EXPECT_TRUE(state_.place().from_start);
  state_.change_directory(here({"cd", "a"}));
  EXPECT_EQ(state_.place().directory, "/srv/a");
  EXPECT_TRUE(state_.place().from_start);
  state_.change_directory(here({"cd"}));
  EXPECT_EQ(state_.place().directory, "/home/alice");
  EXPECT_FALSE(state_.place().from_start);
  state_.change_directory(here({"cd", "-"}));
  EXPECT_EQ(state_.place().directory, "/srv/a");
  EXPECT_TRUE(state_.place().from_start);
  state_.change_directory(here({"popd"}));
  EXPECT_EQ(state_.place().directory, "");
  EXPECT_FALSE(state_.place().from_start);
}

TEST_F(ShellStateTest, DeclarationsSetAndExport) {
  EXPECT_EQ(state_.declare(words_of({"export", "A=1", "B"})), std::vector<std::string>{"B"});
  EXPECT_EQ(values("A"), "[1]");
  state_.declare(words_of({"declare", "-i", "N=5"}));
  EXPECT_EQ(values("N"), "?");
  state_.unset(words_of({"unset", "A"}));
  EXPECT_EQ(values("A"), "unset");
  state_.forget_read(words_of({"read", "-r", "A"}));
  EXPECT_EQ(values("A"), "?");
  EXPECT_TRUE(findings_.concerns().empty());
  state_.declare(words_of({"declare", "-n", "r=A"}));
  EXPECT_EQ(findings_.concerns().size(), 1u);
}

TEST_F(ShellStateTest, ArgumentsShift) {
  state_.set_options(words_of({"set", "-e", "--", "x", "y"}));
  EXPECT_EQ(values("@"), "[x][y]");
  state_.shift(words_of({"shift"}));
  EXPECT_EQ(values("@"), "[y]");
  state_.shift(words_of({"shift", "3"}));  // fails
  EXPECT_EQ(values("@"), "[y]");
}

TEST_F(ShellStateTest, WhatIsLocalEndsWithItsFunction) {
  const Script& script = state_.read("f() { :; }");
  const ShellCommand& function = script.list.pipelines.front().commands.front();
  state_.variables().set("x", {{{"outer"}}});
  ASSERT_TRUE(state_.enter(function, {{"a"}}));
  EXPECT_TRUE(now_.in_function);
  EXPECT_EQ(values("@"), "[a]");
  state_.declare(words_of({"local", "x=inner"}));
  EXPECT_EQ(values("x"), "[inner]");
  state_.leave();
  EXPECT_EQ(values("x"), "[outer]");
  EXPECT_EQ(values("@"), "");
  EXPECT_FALSE(now_.in_function);
}

TEST_F(ShellStateTest, ANameMayBeAFunctionOrAProgram) {
  EXPECT_TRUE(state_.functions_of(words_of({"f"})).program);
  state_.define(state_.read("f() { :; }").list.pipelines.front().commands.front());
  EXPECT_FALSE(state_.functions_of(words_of({"f"})).program);
  EXPECT_EQ(state_.functions_of(words_of({"f"})).functions.size(), 1u);
  state_.unset(words_of({"unset", "-f", "f"}));
  EXPECT_TRUE(state_.functions_of(words_of({"f"})).program);
}

}  // namespace
}  // namespace talaria::guard
