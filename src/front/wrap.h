// Text in lines of a given width, broken between words if possible.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace talaria::front {

// What becomes of a word that is longer than a line.
enum class LongWords { cut, whole };

// At least one line, also of an empty text.
std::vector<std::string> wrapped(std::string_view text, std::size_t width,
                                 LongWords long_words = LongWords::cut);

}  // namespace talaria::front
