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
    const Utf8Char character = first_char(text);
    const bool valid = character.value < 0xdc80 || character.value > 0xdcff;
    const std::string name =
        valid ? name_of(character.value) : "<" + hex(character.value & 0xff, 2) + ">";
    if (name.empty()) {
      shown += text.substr(0, character.size);
    } else {
      shown.append(before).append(name).append(after);
    }
    text.remove_prefix(character.size);
  }
  return shown;
}

std::string visible_line(std::string_view text) {
  std::string line = visible_text(text);
  std::ranges::replace(line, '\n', ' ');
  return line;
}

std::string quoted_lines(std::string_view visible) {
  constexpr std::size_t kMostEmpty = 2;
  if (visible.ends_with('\n')) visible.remove_suffix(1);
  std::string quoted;
  std::size_t empty = 0;
  const auto show_empty = [&] {
    if (empty > kMostEmpty) quoted += "  : " + std::to_string(empty) + " empty lines\n";
    for (; empty > 0 && empty <= kMostEmpty; --empty) quoted += "  | \n";
    empty = 0;
  };
  for (std::size_t at = 0; at <= visible.size();) {
    const std::string_view line = visible.substr(at, visible.find('\n', at) - at);
    at += line.size() + 1;
    if (trim(line).empty()) {
      ++empty;
      continue;
    }
    show_empty();
    quoted += "  | " + std::string(line) + "\n";
  }
  show_empty();
  return quoted;
}

std::string quoted_name(std::string_view name) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.:/@+";
  if (!name.empty() && name.find_first_not_of(kPlain) == std::string_view::npos) {
    return std::string(name);
  }
  std::string quoted = "'";
  for (const char c : name) quoted += c == '\'' ? std::string("\\'") : std::string(1, c);
  return quoted + "'";
}

}  // namespace talaria
