// {a,b} and {1..3}, before anything else is expanded.
#pragma once

#include <deque>
#include <vector>

#include "policy/guard/syntax/shell_syntax.h"

namespace talaria::guard {

using WordParts = std::vector<const WordPart*>;

bool may_have_braces(const ShellWord& word);

// Every word it becomes; none: there would be too many. `made` keeps the parts that are new.
std::vector<WordParts> expand_braces(const ShellWord& word, std::deque<WordPart>& made);

}  // namespace talaria::guard
