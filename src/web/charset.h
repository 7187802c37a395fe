// The bytes of a page as UTF-8.
#pragma once

#include <string>
#include <string_view>

namespace talaria::web {

// The encoding is that of the byte order mark, of `declared` (the charset of the Content-Type), or
// of a <meta> near the start of `html`. Else it is UTF-8 if that is valid, or windows-1252. Invalid
// bytes become U+FFFD.
std::string to_utf8(std::string_view bytes, std::string_view declared, bool html);

}  // namespace talaria::web
