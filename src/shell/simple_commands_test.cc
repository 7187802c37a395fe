#include "shell/simple_commands.h"

#include <gtest/gtest.h>

namespace talaria::shell {
namespace {

// "a b ; c &" and so on: words joined by blanks, each command followed by its separator.
std::string summary(std::string_view text) {
  const auto commands = simple_commands(text);
  if (!commands) return "unfinished";
  std::string line;
  for (const SimpleCommand& command : *commands) {
    if (!line.empty()) line += " / ";
    if (command.substituted) line += "$ ";
    for (std::size_t i = 0; i < command.words.size(); ++i) {
      line += (i > 0 ? " " : "") + command.words[i];
    }
    line += command.separator == "\n"   ? " nl"
            : command.separator.empty() ? ""
                                        : " " + command.separator;
  }
  return line;
}

TEST(SimpleCommands, AreFoundByWordsQuotesAndOperators) {
  const struct {
    const char* text;
    const char* expected;
  } cases[] = {
      {"", ""},
      {"   # only a comment", ""},
      {"ls -l", "ls -l"},
      {"a; b && c || d | e", "a ; / b && / c || / d | / e"},
      {"a & b &", "a & / b &"},
      {"a\nb\n\nc", "a nl / b nl / c"},
      {"echo 'a & b' \"c; d\" e\\ f", "echo a & b c; d e f"},
      {"echo it's", "unfinished"},
      {"echo \"x", "unfinished"},
      {"echo $(ls; pwd) x", "$ ls ; / $ pwd / echo $(ls; pwd) x"},
      {"echo `nohup x`", "$ nohup x / echo `nohup x`"},
      {"echo \"$(a | b)\"", "$ a | / $ b / echo $(a | b)"},
      {"echo $(ls", "unfinished"},
      {"diff <(a) <(b)", "$ a / $ b / diff /dev/fd/63 /dev/fd/63"},
      {"a >out 2>&1 <in b", "a b"},
      {"a &>all & b", "a & / b"},
      {"a >&2 && b", "a && / b"},
      {"cat <<E\nnohup x &\nE\nls", "cat nl / ls"},
      {"cat <<-'E' | b\n\tx & y\n\tE\nls", "cat | / b nl / ls"},
      {"cat <<<'x & y'", "cat"},
      {"(a; b) & c", "a ; / b ) / c"},
      {"{ a; b; } &", "{ a ; / b ; / } &"},
      {"if a; then b; fi", "if a ; / then b ; / fi"},
      {"((i++)) && a", "a"},
      {"echo $((1 & 2)) ${x:-a & b}", "echo $((1 & 2)) ${x:-a & b}"},
      {"[[ a && b || c < d ]] && e", "[[ a b c d ]] && / e"},
      {"echo $'it\\'s &'", "echo it\\'s &"},
      {"a \\\n b", "a b"},
      {"echo a#b # c", "echo a#b"},
      {"f() { a; }", "f ( / { a ; / }"},
  };
  for (const auto& c : cases) EXPECT_EQ(summary(c.text), c.expected) << c.text;
}

TEST(ProgramWords, AreWhatACommandComesDownTo) {
  const struct {
    const char* text;
    const char* expected;
  } cases[] = {
      {"ls -l", "ls -l"},
      {"A=1 B='x y' ls", "ls"},
      {"sudo -u me -n ls -l", "ls -l"},
      {"sudo A=1 ls", "ls"},
      {"env -u X -i A=1 ls", "ls"},
      {"time nice -n 5 ls", "ls"},
      {"! ls", "ls"},
      {"then sudo ls", "ls"},
      {"/usr/bin/env ls", "ls"},
      {"sudo", ""},
      {"A=1", ""},
      {"command -v ls", "ls"},
  };
  for (const auto& c : cases) {
    std::string line;
    for (const std::string& word : program_words(simple_commands(c.text)->front())) {
      line += (line.empty() ? "" : " ") + word;
    }
    EXPECT_EQ(line, c.expected) << c.text;
  }
}

// Whatever the text, reading it ends.
TEST(SimpleCommands, EndsForEveryPrefixOfOddText) {
  const std::string text =
      "a $(b `c \"d ${e:-'f'} $((1)) \\\" g\" `) <(h) <<E && [[ i ]] | (j; k) &>l $'m' \\\nE\n}";
  for (std::size_t size = 0; size <= text.size(); ++size) {
    (void)simple_commands(text.substr(0, size));
  }
}

}  // namespace
}  // namespace talaria::shell
