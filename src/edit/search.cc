#include "edit/search.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace talaria::edit {
namespace {

// borders[i]: how long the longest proper prefix of the needle is that its first i + 1 items end
// with. It is what Knuth, Morris and Pratt go back to instead of starting over.
template <class Sequence>
std::vector<std::uint32_t> borders_of(const Sequence& needle) {
  std::vector<std::uint32_t> borders(needle.size(), 0);
  std::uint32_t length = 0;
  for (std::size_t i = 1; i < needle.size(); ++i) {
    while (length > 0 && needle[i] != needle[length]) length = borders[length - 1];
    if (needle[i] == needle[length]) ++length;
    borders[i] = length;
  }
  return borders;
}

template <class Sequence>
std::vector<std::size_t> find_all(const Sequence& hay, const Sequence& needle, std::size_t from,
                                  std::size_t most) {
  std::vector<std::size_t> found;
  const auto borders = borders_of(needle);
  std::size_t length = 0;
  for (std::size_t i = from; i < hay.size() && found.size() < most; ++i) {
    while (length > 0 && hay[i] != needle[length]) length = borders[length - 1];
    if (hay[i] == needle[length]) ++length;
    if (length < needle.size()) continue;
    found.push_back(i + 1 - length);
    length = borders[length - 1];
  }
  return found;
}

}  // namespace

std::vector<std::size_t> occurrences(std::string_view hay, std::string_view needle,
                                     std::size_t most) {
  if (needle.empty()) return {};
  // Most often there are few, and the C library finds those much faster than we do. It may cost the
  // length of the needle to find one, so where there are many it is our turn.
  constexpr std::size_t kFew = 64;
  std::vector<std::size_t> found;
  std::size_t from = 0;
  while (found.size() < std::min(kFew, most)) {
    const void* const next =
        ::memmem(hay.data() + from, hay.size() - from, needle.data(), needle.size());
    if (!next) return found;
    found.push_back(static_cast<std::size_t>(static_cast<const char*>(next) - hay.data()));
    from = found.back() + 1;
  }
  const auto others = find_all(hay, needle, from, most - found.size());
  found.insert(found.end(), others.begin(), others.end());
  return found;
}

std::vector<std::size_t> occurrences(std::span<const std::string_view> hay,
                                     std::span<const std::string_view> needle, std::size_t most) {
  if (needle.empty()) return {};
  return find_all(hay, needle, 0, most);
}

}  // namespace talaria::edit
