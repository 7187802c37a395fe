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

// The same on one line.
std::string visible_line(std::string_view text);

// Visible text whose lines are marked with "  | ", so that none passes for ours. Empty lines are
// counted where they are many: they would push the others off the screen.
std::string quoted_lines(std::string_view visible);

// A name that somebody else chose, in a sentence: in quotes, unless it is of plain characters.
std::string quoted_name(std::string_view name);

}  // namespace talaria
