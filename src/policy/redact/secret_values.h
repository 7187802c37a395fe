// What a value looks like, whatever its name: a gap to fill, a word, or something that nobody can
// guess.
#pragma once

#include <algorithm>
#include <string_view>

#include "base/text.h"

namespace talaria::policy {

constexpr bool is_any_of(char c, std::string_view chars) { return chars.contains(c); }

inline bool has_digit(std::string_view text) { return std::ranges::any_of(text, is_digit); }

// What stands for a value, so that it may be read: a reference (${TOKEN}), a template (<password>,
// {{ token }}), a mask, a word of a language (None, str), the name of a value in a help text.
bool is_placeholder(std::string_view value);

// Not a word of a language: it is long, or has digits between its letters.
bool is_strong(std::string_view value);

// Nobody chose it: the output of a generator.
bool is_random(std::string_view value);

}  // namespace talaria::policy
