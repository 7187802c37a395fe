#include "policy/sudo/sudo_positions.h"

#include <gtest/gtest.h>

namespace talaria::policy {
namespace {

std::string rewritten(std::string_view command) {
  return with_options(command, find_sudo(command), kAskpassOptions);
}

TEST(SudoPositionsTest, RewritesSudoWhereItRuns) {
  const struct {
    const char* command;
    const char* expected;
  } cases[] = {
      {"sudo ls", "sudo -A ls"},
      {"  sudo ls", "  sudo -A ls"},
      {"(sudo ls)", "(sudo -A ls)"},
      {"$(sudo ls)", "$(sudo -A ls)"},
      {"A=1 B='x y' sudo ls", "A=1 B='x y' sudo -A ls"},
      {"echo a|sudo tee f", "echo a|sudo -A tee f"},
      {"ls\nsudo x", "ls\nsudo -A x"},
      {"a || sudo b", "a || sudo -A b"},
      {"sudo;ls", "sudo -A;ls"},
      {"sudo -n ls", "sudo -A -n ls"},
      {"sudo ls; sudo cat", "sudo -A ls; sudo -A cat"},
      // The old rules missed these.
      {"if sudo x; then sudo y; else sudo z; fi",
       "if sudo -A x; then sudo -A y; else sudo -A z; fi"},
      {"! sudo x", "! sudo -A x"},
      {"time sudo x", "time sudo -A x"},
      {"{ sudo x; }", "{ sudo -A x; }"},
      {"echo `sudo x`", "echo `sudo -A x`"},
      {"echo \"$(sudo x)\"", "echo \"$(sudo -A x)\""},
      {"case $1 in y) sudo z;; esac", "case $1 in y) sudo -A z;; esac"},
      {"for i in 1 2; do sudo x; done", "for i in 1 2; do sudo -A x; done"},
      {"while sudo x; do sudo y; done", "while sudo -A x; do sudo -A y; done"},
      {"f() { sudo x; }; f", "f() { sudo -A x; }; f"},
      {"diff <(sudo x) y", "diff <(sudo -A x) y"},
      {"env A=1 sudo x", "env A=1 sudo -A x"},
      {"exec sudo x", "exec sudo -A x"},
      {"nohup sudo x", "nohup sudo -A x"},
      {"command sudo x", "command sudo -A x"},
      {"timeout 5 sudo x", "timeout 5 sudo -A x"},
      {"sudo -u root -p S ls -S", "sudo -A -u root -p S ls -S"},
      {"sudo -uS ls", "sudo -A -uS ls"},
      {"sudo -H ls -S", "sudo -A -H ls -S"},
      {"sudo --user S ls", "sudo -A --user S ls"},
      {"sudo -- -S", "sudo -A -- -S"},
      {"x | sudo \\\n tee f", "x | sudo -A \\\n tee f"},
  };
  for (const auto& c : cases) EXPECT_EQ(rewritten(c.command), c.expected);
}

TEST(SudoPositionsTest, LeavesTheRestAsItIs) {
  const char* const cases[] = {
      "",
      "ls",
      "grep sudo f",
      "echo sudo",
      "printf '%s\\n' sudo",
      "rg 'sudo' .",
      "# sudo x",
      "ls # sudo x",
      "'sudo' ls",
      "\"sudo\" ls",
      "\\sudo ls",
      "/usr/bin/sudo ls",
      "visudo",
      "sudoedit f",
      "x=sudo",
      "sudo>f",
      "sudo --login --stdin ls",
      "sudo --user root --stdin ls",
      "echo 'a; sudo x' \"b; sudo y\"",
      "which sudo",
      "command -v sudo",
      "command -V sudo >/dev/null",
      // Its password comes on standard input already.
      "echo pw | sudo -S ls",
      "echo pw | sudo -kS ls",
      "echo pw | sudo -u root -S ls",
      "echo pw | sudo --stdin ls",
      "echo pw | sudo -p '' -S ls",
      "sudo 'unfinished",
      "if sudo x",
  };
  for (const char* command : cases) EXPECT_EQ(rewritten(command), command);
}

// It was rewritten in the file that the here-document makes.
TEST(SudoPositionsTest, S07BodiesOfHereDocumentsStayAsTheyAre) {
  const char* const cases[] = {
      "cat >f <<E\nsudo x\n  sudo y\nE\n",
      "cat >f <<'E'\nsudo x $(sudo y)\nE\n",
      "cat >f <<-E\n\tsudo x\n\tE\n",
      "bash <<E\nsudo x\nE\n",
  };
  for (const char* command : cases) EXPECT_EQ(rewritten(command), command);
  EXPECT_EQ(rewritten("sudo tee f <<E\nsudo x\n$(sudo y)\nE\nsudo z"),
            "sudo -A tee f <<E\nsudo x\n$(sudo -A y)\nE\nsudo -A z");
}

TEST(SudoPositionsTest, TheOtherFormReadsStandardInput) {
  const std::string_view command = "sudo ls && sudo cat";
  EXPECT_EQ(with_options(command, find_sudo(command), kStdinOptions),
            "sudo -S -p '' ls && sudo -S -p '' cat");
}

}  // namespace
}  // namespace talaria::policy
