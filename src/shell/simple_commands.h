// The simple commands in a piece of shell text, found by reading its words, quotes and operators:
// enough to say which programs it starts and how they are strung together. No judgement about
// safety hangs on it; what is not understood is left out.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace talaria::shell {

struct SimpleCommand {
  std::vector<std::string> words;  // without redirections; quotes removed, expansions as written
  std::string separator;           // what ends it: ";" "&" "&&" "||" "|" "\n" "(" ")" or nothing
  bool substituted = false;        // inside $(...), `...`, <(...) or >(...)
};

// In the order of the text; a substitution's commands come before the one that uses it. Nothing if
// the text ends inside a quote or a substitution.
std::optional<std::vector<SimpleCommand>> simple_commands(std::string_view text);

// The words of the program a command comes down to: without leading assignments and words like
// `then`, `!` or `{`, and without those that only run another (sudo, env, time, nice, ...).
// Empty if there is none, or it is unclear.
std::vector<std::string> program_words(const SimpleCommand& command);

// Whether a `!` in front of the command turns its status round.
bool is_negated(const SimpleCommand& command);

}  // namespace talaria::shell
