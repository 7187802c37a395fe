#include "base/hmac.h"

#include <charconv>
#include <cstddef>

namespace talaria {
namespace {

constexpr std::size_t kBlock = 64;

std::string bytes_of(const std::string& hex) {
  std::string bytes;
  for (std::size_t at = 0; at + 1 < hex.size(); at += 2) {
    unsigned value = 0;
    std::from_chars(hex.data() + at, hex.data() + at + 2, value, 16);
    bytes += static_cast<char>(value);
  }
  return bytes;
}

std::string padded(std::string key, unsigned char with) {
  key.resize(kBlock);
  for (char& c : key) c = static_cast<char>(static_cast<unsigned char>(c) ^ with);
  return key;
}

}  // namespace

std::string hmac_sha256_hex(std::string_view key, std::string_view text) {
  const std::string fitting = key.size() > kBlock ? bytes_of(sha256_hex(key)) : std::string(key);
  Sha256 inner;
  inner.add(padded(fitting, 0x36));
  inner.add(text);
  Sha256 outer;
  outer.add(padded(fitting, 0x5c));
  outer.add(bytes_of(inner.hex()));
  return outer.hex();
}

bool equal_in_constant_time(std::string_view a, std::string_view b) {
  unsigned difference = a.size() == b.size() ? 0 : 1;
  for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) {
    difference |= static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]);
  }
  return difference == 0;
}

}  // namespace talaria
