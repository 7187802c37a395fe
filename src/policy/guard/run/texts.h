// Texts: what bash expands or evaluates besides the words of commands: prompts, and arithmetic, in
// which a name stands for its value and a[$(command)] runs the command, wherever it comes from.
#pragma once

#include <deque>
#include <set>
#include <string>
#include <string_view>

#include "policy/guard/syntax/shell_syntax.h"

namespace talaria::guard {

struct Walk;

class Texts {
 public:
  explicit Texts(Walk& walk) : walk_(walk) {}

  // As if it stood between double quotes.
  void expand(const std::string& text);
  // Its escapes come first, then its substitutions.
  void expand_prompt(const std::string& prompt);
  // Says what it may run, and forgets what it may assign.
  void evaluate(std::string_view text);
  // `declare -i`: whatever is assigned to it is evaluated.
  void make_integer(std::string_view name) { integers_.emplace(name); }
  bool is_integer(std::string_view name) const { return integers_.contains(name); }

 private:
  void evaluate(std::string_view text, int depth);

  Walk& walk_;
  std::deque<ShellWord> texts_;  // that were read
  std::set<std::string, std::less<>> integers_{"RANDOM", "SRANDOM", "OPTIND", "HISTCMD"};
};

}  // namespace talaria::guard
