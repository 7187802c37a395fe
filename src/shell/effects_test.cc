#include "shell/effects.h"

#include <gtest/gtest.h>

namespace talaria::shell {
namespace {

TEST(LeavesStateAlone, OnlyWhatCannotChangeAnything) {
  ShellState state;
  state.functions["mine"] = {"mine () \n{ \n    cd /\n}\n"};
  state.aliases["ll"] = "cd /";
  state.variables["BASH_FUNC_theirs%%"] = "() { cd /; }";
  const struct {
    const char* command;
    bool alone;
  } cases[] = {
      {"true", true},
      {"  true \n", true},
      {"ls -la /usr", true},
      {"git commit -m 'a; b $(c)'", true},
      {"grep -r \"two words\" src", true},
      {"make CC=clang", true},
      {"echo hello", true},
      {"", false},
      {"cd /", false},
      {"export A=1", false},
      {"A=1", false},
      {"A=1 ls", false},
      {"ls; cd /", false},
      {"ls && cd /", false},
      {"ls\ncd /", false},
      {"ls $(cd /)", false},
      {"ls \"$HOME\"", false},
      {"ls \"${A:=1}\"", false},
      {"echo $((A=1))", false},
      {"ls 'open", false},
      {"ls > file", false},
      {"ls | wc", false},
      {"ls &", false},
      {"ls *", false},
      {"l\\s", false},
      {"'cd' /", false},
      {". file", false},
      {"printf -v A x", false},
      {"read A", false},
      {"umask 077", false},
      {"mine", false},
      {"ll", false},
      {"theirs", false},
      {"exec ls", false},
      {"# nothing", false},
      {"! true", false},
      {"{ cd /", false},
      {"ls ~", false},
  };
  for (const auto& c : cases) EXPECT_EQ(leaves_state_alone(c.command, state), c.alone) << c.command;
}

TEST(LeavesStateAlone, AFileOfTheCallersMayDefineAnything) {
  ShellState state;
  state.variables["BASH_ENV"] = "/some/file";
  EXPECT_FALSE(leaves_state_alone("ls", state));
}

}  // namespace
}  // namespace talaria::shell
