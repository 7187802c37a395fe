// Text in lines of a given width, broken between words if possible.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace talaria::front::cli {

// At least one line, also of an empty text. A word longer than a line is cut.
std::vector<std::string> wrapped(std::string_view text, std::size_t width);

}  // namespace talaria::front::cli
