// Lines of a text, as views into it, and what is white space at their ends.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "edit/fold.h"

namespace talaria::edit {

// Without their line feeds. What follows the last line feed is a line only if there is something.
std::vector<std::string_view> split_lines(std::string_view text);

// A line with what ends it: "\r\n", "\n", or nothing at the end of the text.
struct EndedLine {
  std::string_view text;
  std::string_view ending;
};
std::vector<EndedLine> ended_lines(std::string_view text);

// Without the Unicode white space at both ends, or at the start only.
std::string_view strip(std::string_view text);
std::string_view strip_start(std::string_view text);

// Its leading spaces and tabs.
std::string_view indent_of(std::string_view line);
// Those of the first line that has anything else in it; empty if none has.
std::string_view first_indent(std::string_view text);

// Lines: a text and its lines, found once.
class Lines {
 public:
  explicit Lines(std::string_view text) : text_(text), lines_(split_lines(text)) {}

  std::size_t size() const { return lines_.size(); }
  std::string_view operator[](std::size_t index) const { return lines_[index]; }
  const std::vector<std::string_view>& all() const { return lines_; }
  std::string_view text() const { return text_; }

  // From the start of line `first` over `count` lines, which are at least one; with the line feed
  // of the last one, if it has one, when `with_end`.
  Range range(std::size_t first, std::size_t count, bool with_end) const;
  // The line that has this position; the last one at the end of the text. There must be lines.
  std::size_t line_at(std::size_t position) const;
  std::size_t begin_of(std::size_t index) const;

 private:
  std::string_view text_;
  std::vector<std::string_view> lines_;
};

}  // namespace talaria::edit
