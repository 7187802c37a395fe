// Bytes as text, for tests that compare with the vectors of docs/reference/link.md.
#pragma once

#include <cctype>
#include <string>
#include <string_view>

#include "base/text.h"

namespace talaria::link {

// Spaces between bytes are for the reader and skipped.
inline std::string from_hex(std::string_view text) {
  std::string digits;
  for (const char c : text) {
    if (std::isxdigit(static_cast<unsigned char>(c)) != 0) digits.push_back(c);
  }
  std::string bytes;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
    bytes.push_back(static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16)));
  }
  return bytes;
}

}  // namespace talaria::link
