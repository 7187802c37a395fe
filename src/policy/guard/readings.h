// The texts a command is judged as: what bash would get, and what a person may take it for.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace talaria::guard {

struct Readings {
  std::string text;  // what bash would get, without NUL
  // What it may be taken for, if that differs: without terminal sequences; with every look-alike of
  // an ASCII character (full-width letters, no-break spaces) as that character. Bash would not run
  // these, but a tool on the way might.
  std::vector<std::string> others;
};

Readings readings_of(std::string_view text);

}  // namespace talaria::guard
