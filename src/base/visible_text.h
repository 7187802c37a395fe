// Text of another program, made safe for a person who has to judge it: nothing in it controls the
// terminal, changes direction or is hidden, and nothing is left out.
#pragma once

#include <string>
#include <string_view>

namespace talaria {

// An invisible character becomes <ESC> or <U+202E>, a byte of invalid UTF-8 becomes <FF>, each
// between `before` and `after` (say, a colour). Newlines stay.
std::string visible_text(std::string_view text, std::string_view before = "",
                         std::string_view after = "");

// A name that somebody else chose, in a sentence: in quotes, unless it is of plain characters.
std::string quoted_name(std::string_view name);

}  // namespace talaria
