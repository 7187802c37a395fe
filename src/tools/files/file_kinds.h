// What a file is, by its name and its first bytes: something to read as text, or not.
#pragma once

#include <string>
#include <string_view>

namespace talaria::tool {

// ".png", in lower case; empty: it has none.
std::string extension_of(std::string_view path);

// Whether files of that name hold no text. (PDF and SVG are left to their content.)
bool has_binary_name(std::string_view path);

// By its first bytes: a NUL, or too many control characters.
bool is_binary(std::string_view head);
bool is_image(std::string_view head);

}  // namespace talaria::tool
