// Bytes as text, for JSON: base64 with padding (RFC 4648, section 4).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace talaria {

std::string base64(std::string_view bytes);

// The reverse; nothing if `text` is not base64.
std::optional<std::string> base64_decode(std::string_view text);

}  // namespace talaria
