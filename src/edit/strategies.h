// The nine ways to find what an agent meant by a piece of text, from exactly what it wrote to what
// merely resembles it. They are tried in this order, and the first that finds anything decides,
// even if it finds several places: a looser one would only find more.
//
// All of them work on text whose lines end in LF. docs/reference/editing.md has an example of each.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "edit/fold.h"
#include "edit/lines.h"
#include "edit/similarity.h"

namespace talaria::edit {

enum class Strategy {
  exact,
  line_trimmed,           // ignores white space at the ends of lines
  whitespace_normalized,  // also how many spaces and tabs are between words
  indentation_flexible,   // ignores only leading white space
  escape_normalized,      // \n, \t and \r of the pattern, two characters each, are the real ones
  trimmed_boundary,       // ignores white space of the first and the last line
  unicode_normalized,     // typeset quotes, dashes, dots and spaces are as typed
  block_anchor,           // first and last line fit, and what is between them resembles
  context_aware,          // every line resembles, and at least half of them fit
};

struct Found {
  Strategy strategy = Strategy::exact;
  std::string indent;         // of the pattern, as the strategy read it: see first_indent()
  std::vector<Range> ranges;  // ascending; they may overlap
};

// A pattern that consists of whole lines (2, 4, 6, 8, 9) covers the last line feed only if it ends
// with one. A pattern that shows nothing but white space is only found exactly. At most
// kMaxEditPlaces + 1 ranges.
std::optional<Found> find_text(const Lines& subject, std::string_view pattern, WorkBudget& budget);

struct FoundLines {
  Strategy strategy = Strategy::exact;
  std::string indent;
  std::vector<std::size_t> starts;  // the first line of each place
};

// The same for a pattern of lines that fit whole lines only, one by one.
std::optional<FoundLines> find_lines(std::span<const std::string_view> subject,
                                     std::span<const std::string_view> pattern, WorkBudget& budget);

// With the two characters \n, \t and \r made one.
std::string unescaped(std::string_view text);

}  // namespace talaria::edit
