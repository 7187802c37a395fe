// What a value of a program is as a word of a command.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "policy/guard/program/program_value.h"
#include "policy/guard/run/seen_command.h"

namespace talaria::guard {

SeenWord word_of(const ProgramValue& value);
// Of a list, each of its items.
void add_words(const ProgramValue& value, std::vector<SeenWord>& words);

// As a word of shell text: quoted, but for a ~ at its front.
std::string shell_word(std::string_view text);

inline bool is_true(const ProgramValue* value) { return value != nullptr && value->text == "true"; }

// 0o755, 0755 and 493 are 755.
std::string octal_mode(const ProgramValue& value);

}  // namespace talaria::guard
