#include "base/base64.h"

#include <array>
#include <cstdint>

namespace talaria {

namespace {

constexpr std::string_view kDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

// The value of each digit; 64: not a digit.
constexpr auto kValues = [] {
  std::array<unsigned char, 256> values{};
  values.fill(64);
  for (std::size_t i = 0; i < kDigits.size(); ++i) {
    values[static_cast<unsigned char>(kDigits[i])] = static_cast<unsigned char>(i);
  }
  return values;
}();

}  // namespace

// By hand: the one in Boost is a detail of Beast's, not for others to use.
std::string base64(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::string_view group = bytes.substr(at, 3);
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      bits = bits << 8 | (i < group.size() ? static_cast<unsigned char>(group[i]) : 0u);
    }
    for (std::size_t i = 0; i < 4; ++i) {
      text += i <= group.size() ? kDigits[bits >> (18 - 6 * i) & 63] : '=';
    }
  }
  return text;
}

std::optional<std::string> base64_decode(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3);
  for (std::size_t at = 0; at < text.size(); at += 4) {
    const std::size_t digits = at + 4 == text.size() ? 4 - padding : 4;
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      const unsigned char value =
          i < digits ? kValues[static_cast<unsigned char>(text[at + i])] : 0;
      if (value == 64) return std::nullopt;
      bits = bits << 6 | value;
    }
    for (std::size_t i = 0; i + 1 < digits; ++i) {
      bytes += static_cast<char>(bits >> (16 - 8 * i) & 255);
    }
  }
  return bytes;
}

}  // namespace talaria
