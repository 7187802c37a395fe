// Texts: what bash expands or evaluates besides the words of commands: prompts, and arithmetic, in
// which a name stands for its value and a[$(command)] runs the command, wherever it comes from.
#pragma once

#include <deque>
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
  // What a variable is given: any arithmetic may evaluate it later.
  void check_value(std::string_view text);

 private:
  Walk& walk_;
  std::deque<ShellWord> texts_;  // that were read
};

}  // namespace talaria::guard
