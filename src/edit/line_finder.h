// LineFinder: finds a sequence of lines among lines, for the strategies that compare whole lines.
#pragma once

#include <cstddef>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "edit/similarity.h"

namespace talaria::edit {

// All results: the index of the first line of each place, ascending; places may overlap.
using LineStarts = std::vector<std::size_t>;

class LineFinder {
 public:
  using Views = std::span<const std::string_view>;

  LineFinder(Views lines, Views pattern, WorkBudget& budget)
      : lines_(lines), pattern_(pattern), budget_(budget) {}

  LineStarts exact() const;
  LineStarts trimmed() const;
  LineStarts blanks_normalized() const;
  LineStarts start_trimmed() const;
  LineStarts boundary_trimmed() const;
  LineStarts typed();          // typography folded; nothing if there is none to fold
  LineStarts typed_trimmed();  // the same, trimmed
  LineStarts block_anchor();
  LineStarts context_aware();

 private:
  // Lines with their typography folded: views of the lines themselves wherever nothing changed.
  struct TypedLines {
    std::vector<std::string_view> lines;
    std::vector<std::string_view> trimmed;
    std::deque<std::string> changed;
  };

  static TypedLines typed_lines(Views lines);
  void fold_once();
  bool resembles(std::size_t start);

  Views lines_;
  Views pattern_;
  WorkBudget& budget_;
  bool folded_ = false;
  TypedLines typed_;
  TypedLines typed_pattern_;
};

}  // namespace talaria::edit
