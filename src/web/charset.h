// The bytes of a page as UTF-8.
#pragma once

#include <string>
#include <string_view>

namespace talaria::web {

// In which encoding it is, by the first that says so: the byte order mark, `declared` (the charset
// of its Content-Type), a <meta> near its start if it is `html`. Nobody says: UTF-8 if it is that,
// else windows-1252. What cannot be converted becomes U+FFFD.
std::string to_utf8(std::string_view bytes, std::string_view declared, bool html);

}  // namespace talaria::web
