// The texts a command is judged as: what bash would get, and what a person may take it for.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace talaria {

struct Readings {
  std::string text;  // without terminal sequences and NUL
  // With every look-alike of an ASCII character (full-width letters, no-break spaces) as that
  // character, if that makes a difference. Bash would not run it so, but a tool on the way might.
  std::optional<std::string> compatible;
};

Readings readings_of(std::string_view text);

}  // namespace talaria
