// Text of others, made safe for a person who has to judge it: nothing in it draws on the terminal,
// runs backwards or is hidden, and nothing is left out.
#pragma once

#include <string>
#include <string_view>

namespace talaria {

// What cannot be seen as it is becomes <ESC>, <U+202E> or, where it is no UTF-8, <FF>, each between
// `before` and `after` (say, a colour). Newlines stay.
std::string visible_text(std::string_view text, std::string_view before = "",
                         std::string_view after = "");

}  // namespace talaria
