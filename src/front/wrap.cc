#include "front/wrap.h"

#include <algorithm>

#include "base/text.h"

namespace talaria::front {
namespace {

// How many bytes of `text` (longer than `width` characters) go into its first line.
std::size_t line_end(std::string_view text, std::size_t width, LongWords long_words) {
  const std::size_t fits = first_chars(text, width).size();
  if (text[fits] == ' ') return fits;
  const std::size_t blank = text.substr(0, fits).rfind(' ');
  if (blank != std::string_view::npos && blank != 0) return blank;
  return long_words == LongWords::cut ? fits : std::min(text.find(' ', fits), text.size());
}

}  // namespace

std::vector<std::string> wrapped(std::string_view text, std::size_t width, LongWords long_words) {
  std::vector<std::string> lines;
  width = std::max<std::size_t>(width, 1);
  while (count_chars(text) > width) {
    const std::size_t end = line_end(text, width, long_words);
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(end);
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  }
  if (!text.empty() || lines.empty()) lines.emplace_back(text);
  return lines;
}

}  // namespace talaria::front
