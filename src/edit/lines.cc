#include "edit/lines.h"

#include <algorithm>

#include "base/text.h"

namespace talaria::edit {
namespace {

// What Python calls white space: agents' edits are written with its strip() in mind.
bool is_white_space(char32_t c) {
  if (c < 0x80) return (c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x20);
  return c == 0x85 || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 ||
         c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

// The last character, as first_char() gives the first one. `text` is not empty.
Utf8Char last_char(std::string_view text) {
  for (std::size_t size = std::min(text.size(), std::size_t{4}); size > 1; --size) {
    const Utf8Char last = first_char(text.substr(text.size() - size));
    if (last.size == size) return last;
  }
  return first_char(text.substr(text.size() - 1));
}

}  // namespace

std::vector<std::string_view> split_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) lines.push_back(next_word(text, '\n'));
  return lines;
}

std::vector<EndedLine> ended_lines(std::string_view text) {
  std::vector<EndedLine> lines;
  while (!text.empty()) {
    const std::size_t feed = text.find('\n');
    if (feed == std::string_view::npos) {
      lines.push_back({text, {}});
      break;
    }
    const std::size_t end = feed > 0 && text[feed - 1] == '\r' ? feed - 1 : feed;
    lines.push_back({text.substr(0, end), text.substr(end, feed + 1 - end)});
    text.remove_prefix(feed + 1);
  }
  return lines;
}

std::string_view strip_start(std::string_view text) {
  while (!text.empty()) {
    const Utf8Char first = first_char(text);
    if (!is_white_space(first.value)) break;
    text.remove_prefix(first.size);
  }
  return text;
}

std::string_view strip(std::string_view text) {
  text = strip_start(text);
  while (!text.empty()) {
    const Utf8Char last = last_char(text);
    if (!is_white_space(last.value)) break;
    text.remove_suffix(last.size);
  }
  return text;
}

std::string_view indent_of(std::string_view line) {
  return line.substr(0, std::min(line.find_first_not_of(" \t"), line.size()));
}

std::string_view first_indent(std::string_view text) {
  while (!text.empty()) {
    const std::string_view line = next_word(text, '\n');
    if (!strip(line).empty()) return indent_of(line);
  }
  return {};
}

Range Lines::range(std::size_t first, std::size_t count, bool with_end) const {
  const std::string_view last = lines_[first + count - 1];
  std::size_t end = begin_of(first + count - 1) + last.size();
  if (with_end && end < text_.size()) ++end;
  return {begin_of(first), end};
}

std::size_t Lines::line_at(std::size_t position) const {
  const char* const place = text_.data() + position;
  const auto after = std::ranges::upper_bound(lines_, place, {},
                                              [](std::string_view line) { return line.data(); });
  return static_cast<std::size_t>(after - lines_.begin()) - 1;
}

std::size_t Lines::begin_of(std::size_t index) const {
  return static_cast<std::size_t>(lines_[index].data() - text_.data());
}

}  // namespace talaria::edit
