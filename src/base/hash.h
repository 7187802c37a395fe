// A small stable hash for names and comparisons: the same on every machine and in every version.
// Not for secrets and not against anybody who wants two texts to collide.
#pragma once

#include <cstdint>
#include <string_view>

namespace talaria {

inline constexpr std::uint64_t kHashStart = 14695981039346656037ull;

// FNV-1a. `hash` of one text continues with the next.
constexpr std::uint64_t hash_text(std::string_view text, std::uint64_t hash = kHashStart) {
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ull;
  return hash;
}

}  // namespace talaria
