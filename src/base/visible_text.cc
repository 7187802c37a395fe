#include "base/visible_text.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/text.h"

namespace talaria {
namespace {

struct Range {
  std::uint32_t first;
  std::uint32_t last;
};

// Beside ASCII's control characters: what is empty, invisible, or changes the direction of what
// follows.
constexpr auto kHidden = std::to_array<Range>({
    {0x7f, 0xa0},        // controls, no-break space
    {0xad, 0xad},        // soft hyphen
    {0x034f, 0x034f},    // grapheme joiner
    {0x061c, 0x061c},    // Arabic letter mark
    {0x115f, 0x1160},    // Hangul fillers
    {0x1680, 0x1680},    // a space
    {0x17b4, 0x17b5},    // Khmer vowels without a shape
    {0x180b, 0x180f},    // Mongolian selectors
    {0x2000, 0x200f},    // spaces, zero widths, marks of direction
    {0x2028, 0x202f},    // ends of lines, embeddings and overrides of direction
    {0x205f, 0x206f},    // a space, joiners, isolates
    {0x3000, 0x3000},    // a space
    {0x3164, 0x3164},    // Hangul filler
    {0xe000, 0xf8ff},    // of private use: a font may show anything
    {0xfe00, 0xfe0f},    // variation selectors
    {0xfeff, 0xfeff},    // byte order mark
    {0xffa0, 0xffa0},    // Hangul filler
    {0xfff0, 0xfffc},    // specials
    {0xe0000, 0x10ffff}  // tags, more selectors, private use
});

constexpr std::string_view kHex = "0123456789ABCDEF";

std::string hex(std::uint32_t number, int digits) {
  std::string text;
  for (int at = digits - 1; at >= 0; --at) text += kHex[(number >> (4 * at)) & 0xf];
  return text;
}

// How many bytes the character at the start says it has; 0: it is none.
std::size_t size_of(unsigned char first) {
  if (first < 0x80) return 1;
  if (first >= 0xf0) return first < 0xf8 ? 4 : 0;
  if (first >= 0xe0) return 3;
  return first >= 0xc0 ? 2 : 0;
}

// Of valid UTF-8, one character.
std::uint32_t code_point(std::string_view character) {
  const auto first = static_cast<unsigned char>(character[0]);
  if (character.size() == 1) return first;
  std::uint32_t point = first & (0x7fu >> character.size());
  for (const char byte : character.substr(1)) {
    point = point << 6 | (static_cast<unsigned char>(byte) & 0x3fu);
  }
  return point;
}

// What to write in its place; empty: it can be seen.
std::string name_of(std::uint32_t point) {
  if (point == '\n') return "";
  if (point == '\t') return "<TAB>";
  if (point == '\r') return "<CR>";
  if (point == 0x1b) return "<ESC>";
  if (point < 0x20) return "<" + hex(point, 2) + ">";
  const bool hidden = std::ranges::any_of(
      kHidden, [&](const Range& range) { return point >= range.first && point <= range.last; });
  return hidden ? "<U+" + hex(point, point > 0xffff ? 6 : 4) + ">" : "";
}

}  // namespace

std::string visible_text(std::string_view text, std::string_view before, std::string_view after) {
  std::string shown;
  while (!text.empty()) {
    const auto first = static_cast<unsigned char>(text[0]);
    const std::size_t size = size_of(first);
    const std::string_view character = text.substr(0, std::max<std::size_t>(size, 1));
    const bool valid = size > 0 && character.size() == size && is_valid_utf8(character);
    const std::string name = valid ? name_of(code_point(character)) : "<" + hex(first, 2) + ">";
    if (name.empty()) {
      shown += character;
    } else {
      shown.append(before).append(name).append(after);
    }
    text.remove_prefix(valid ? size : 1);
  }
  return shown;
}

}  // namespace talaria
