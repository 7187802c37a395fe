// Languages of the programs that the guard reads beside shell text.
#pragma once

#include <cstdint>
#include <string_view>

namespace talaria::guard {

enum class ProgramLanguage : std::uint8_t {
  python,
  javascript,  // and TypeScript
  perl,
  ruby,  // and Elixir
  php,
  lua,
  r,
  julia,
  c,  // C, C++, Go, Rust, Java and others: braces, and a call has its arguments in brackets
};

// Of the program that runs it, which may have the number of a version.
ProgramLanguage program_language(std::string_view program);

// Whether a call may do without brackets around its arguments.
inline bool calls_without_brackets(ProgramLanguage language) {
  return language == ProgramLanguage::perl || language == ProgramLanguage::ruby ||
         language == ProgramLanguage::lua;
}

}  // namespace talaria::guard
