// The tokens of a program: names, numbers, texts and marks, without its comments.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "policy/guard/program/program_language.h"

namespace talaria::guard {

struct ProgramToken {
  enum class Kind : std::uint8_t {
    name,  // with the sigil of a variable: $x and @x of Perl, PHP and Ruby
    number,
    text,     // between quotes; a value that is put into it is an unknown piece
    command,  // a text that runs as a command: `…` of Perl
    mark,     // one to three characters
    unknown,  // a piece of the program is not known
  };

  Kind kind = Kind::mark;
  std::string text;
  std::size_t line = 0;
  bool spaced = false;                   // a blank or a line break is in front of it
  std::vector<std::string> pieces = {};  // the code of each unknown piece of a text, in their order

  bool is(std::string_view mark) const { return kind == Kind::mark && text == mark; }
};

struct ProgramTokens {
  std::vector<ProgramToken> tokens;
  // Why the tokens may not be what the language would read; empty: they are.
  std::string trouble;
};

ProgramTokens read_program_tokens(std::string_view text, ProgramLanguage language);

}  // namespace talaria::guard
