// The tokens of a program in some language: names, numbers, texts and marks, without its comments.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace talaria::guard {

// How a language differs from the others.
enum class ProgramStyle : std::uint8_t {
  python,       // # begins a comment
  plain_calls,  // Perl, Ruby, PHP, Lua, R: brackets may be left out, `…` runs a command
  braces,       // JavaScript, C, Go, Rust, Java, …: // begins a comment, `…` is a text
};

struct ProgramToken {
  enum class Kind : std::uint8_t {
    name,
    number,
    text,     // between quotes; what is put into it when it runs is an unknown piece
    command,  // between backquotes that run it
    mark,     // one or two characters
    unknown,  // a piece of the text is not known
  };

  Kind kind = Kind::mark;
  std::string text;
  std::size_t line = 0;
};

// Of the program that runs it, which may have the number of a version.
ProgramStyle program_style(std::string_view program);

std::vector<ProgramToken> read_program_tokens(std::string_view text, ProgramStyle style);

}  // namespace talaria::guard
