// Escape sequences of terminals, taken out of text: colours, cursor moves, titles, and whatever
// else was meant for a screen and not for a reader.
#pragma once

#include <string>
#include <string_view>

namespace talaria {

// `text` is valid UTF-8. Control characters above U+007F count as characters, never as the bytes
// that other characters are made of. A sequence cut off by the end of the text goes, too.
std::string strip_ansi(std::string_view text);

}  // namespace talaria
