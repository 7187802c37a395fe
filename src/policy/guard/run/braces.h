// {a,b} and {1..3}, before anything else is expanded.
#pragma once

#include <functional>

#include "policy/guard/syntax/shell_syntax.h"

namespace talaria::guard {

// A word or a part of it, as it stands between the parts that braces cannot cut.
struct BracePiece {
  char letter = '\0';              // outside quotes
  const WordPart* part = nullptr;  // or one of those
};
using BraceWord = std::vector<BracePiece>;

bool may_have_braces(const ShellWord& word);

// Every word it becomes. Gives up, and says so by returning false, where there would be too many.
bool expand_braces(const ShellWord& word, std::vector<BraceWord>& words);

}  // namespace talaria::guard
