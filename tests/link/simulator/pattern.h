// What the simulator's processes print and read: bytes that depend on who and where, so that one
// that is missing, repeated or swapped is seen at once.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace talaria::test::simulator {

inline char byte_at(std::uint64_t who, std::uint64_t offset) {
  std::uint64_t x = (who + 1) * 0x9e3779b97f4a7c15ULL + offset * 0xbf58476d1ce4e5b9ULL;
  x ^= x >> 31;
  x *= 0x94d049bb133111ebULL;
  return static_cast<char>(x >> 56);
}

inline std::string bytes_at(std::uint64_t who, std::uint64_t offset, std::uint64_t size) {
  std::string bytes;
  bytes.reserve(size);
  for (std::uint64_t i = 0; i < size; ++i) bytes.push_back(byte_at(who, offset + i));
  return bytes;
}

// A random number generator whose sequence is the same everywhere (std's distributions are not).
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed * 2 + 1) {}

  std::uint64_t below(std::uint64_t limit) {
    state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
    return (state_ >> 33) % limit;
  }
  bool one_in(std::uint64_t n) { return below(n) == 0; }

 private:
  std::uint64_t state_;
};

}  // namespace talaria::test::simulator
