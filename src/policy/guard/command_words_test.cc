#include "policy/guard/command_words.h"

#include <gtest/gtest.h>

namespace talaria::guard {
namespace {

// The text with [ ] around every command word called sudo.
std::string marked(std::string text) {
  const CommandWords found = find_command_words(text);
  if (!found.trouble.empty()) return "trouble: " + found.trouble;
  for (auto word = found.words.rbegin(); word != found.words.rend(); ++word) {
    if (word->name != "sudo" || !word->plain) continue;
    text.insert(word->end, "]");
    text.insert(word->begin, "[");
  }
  return text;
}

TEST(CommandWordsTest, FindsSudoWhereItWouldRun) {
  const char* const cases[] = {
      "[sudo] ls",
      "  [sudo] ls",
      "([sudo] ls)",
      "$([sudo] ls)",
      "A=1 B='x y' [sudo] ls",
      "echo a|[sudo] tee f",
      "ls\n[sudo] x",
      "a || [sudo] b",
      "[sudo];ls",
      "[sudo] -n ls",
      "[sudo] ls; [sudo] cat",
      "time [sudo] x",
      "time -p [sudo] x",
      "env A=1 [sudo] x",
      "exec [sudo] x",
      "nohup [sudo] x",
      "timeout -k 5 10 [sudo] x",
      "timeout --sig KILL 10 [sudo] x",
      "ionice -c 3 nice -n 5 [sudo] x",
      "taskset -c 0 [sudo] x",
      "poetry run [sudo] x",
      "! [sudo] x",
      "if [sudo] x; then [sudo] y; elif [sudo] z; then :; else [sudo] w; fi",
      "{ [sudo] x; }",
      "echo `[sudo] x`",
      "echo `echo \\`[sudo] x\\``",
      "echo \"$([sudo] x)\"",
      "echo \"${x:-$([sudo] x)}\"",
      "case $1 in y) [sudo] z;; esac",
      "for i in a; do [sudo] x; done",
      "while [sudo] x; do :; done",
      "f() { [sudo] x; }",
      "a <([sudo] x)",
      "a=$([sudo] x)",
      "a=($([sudo] x))",
      "cat <<E\n$([sudo] x)\nsudo y\nE\n[sudo] z",
      "cat <<-E\n\t\ta $([sudo] x)\n\tE\n",
      "[[ -n $([sudo] x) ]] && [sudo] y",
      "echo $(( $([sudo] x) + 1 ))",
      "[sudo]>f",
      "x() ([sudo] y)",
      "!([sudo] x)",
      "((a)) || [sudo] x",
      "( ([sudo] a) )",
      "(([sudo] a); b)",
  };
  for (const std::string expected : cases) {
    std::string text = expected;
    for (std::size_t at = text.find("[sudo]"); at != std::string::npos; at = text.find("[sudo]")) {
      text.replace(at, 6, "sudo");
    }
    EXPECT_EQ(marked(text), expected);
  }
}

TEST(CommandWordsTest, LeavesAloneWhatIsOnlyText) {
  const char* const cases[] = {
      "grep sudo f",
      "echo sudo",
      "# sudo x",
      "ls # sudo x",
      "'sudo' ls",
      "\"sudo\" ls",
      "\\sudo ls",
      "/usr/bin/sudo ls",
      "visudo",
      "chroot / sudo x",
      "watch sudo x",
      "sudoedit f",
      "x=sudo",
      "echo 'a; sudo x'",
      "echo \"a; sudo x\"",
      "cat <<E\nsudo x\nE\n",
      "cat <<'E'\n$(sudo x)\nE\n",
      "echo \\$(sudo x",
  };
  for (const std::string text : cases) {
    const std::string seen = marked(text);
    if (!seen.starts_with("trouble")) EXPECT_EQ(seen, text);
  }
}

TEST(CommandWordsTest, SaysWhatItCannotRead) {
  EXPECT_NE(find_command_words("if sudo x").trouble, "");
  EXPECT_NE(find_command_words("echo 'a").trouble, "");
  EXPECT_TRUE(find_command_words("sudo 'a").words.empty());
}

}  // namespace
}  // namespace talaria::guard
