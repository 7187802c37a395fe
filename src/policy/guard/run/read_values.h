// What `read` and `mapfile` get from a text that is known.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "policy/guard/run/variables.h"

namespace talaria::guard {

// For each of so many names, what it may become: every line may be the one that is read. A piece
// for each name, the rest for the last. Nothing: there are too many lines.
std::vector<std::vector<Value>> values_of_lines(std::string_view text, std::size_t names);

// All lines, as an array.
ShellValue array_of_lines(std::string_view text);

}  // namespace talaria::guard
