// What is shown of a page's text.
#pragma once

#include <string>
#include <string_view>

namespace talaria::web {

inline constexpr std::string_view kImageRemoved = "[BASE64_IMAGE_REMOVED]";

// Images that are written out in base64 (data:image/png;base64,...) become kImageRemoved.
std::string without_inline_images(std::string_view text);

// Valid UTF-8: the first kMaxWebPageChars of it, and a line that says how many there are.
std::string shown_page(std::string_view text);

}  // namespace talaria::web
