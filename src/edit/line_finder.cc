#include "edit/line_finder.h"

#include <algorithm>
#include <cstdint>
#include <unordered_map>

#include "base/limits.h"
#include "edit/fold.h"
#include "edit/lines.h"
#include "edit/search.h"

namespace talaria::edit {
namespace {

using Views = LineFinder::Views;

constexpr double kOnlyBlock = 0.50;      // how alike the middle of the only candidate has to be
constexpr double kOneOfBlocks = 0.70;    // and that of one of several
constexpr double kAlikeLines = 0.80;     // two lines that are the same but for a slip
constexpr std::size_t kFewestLines = 3;  // fewer prove nothing when some of them merely resemble

constexpr std::size_t kMostLines = kMaxEditPlaces + 1;

template <class Key>
std::vector<std::string_view> keys(Views lines, Key key) {
  std::vector<std::string_view> all;
  all.reserve(lines.size());
  for (const std::string_view line : lines) all.push_back(key(line));
  return all;
}

// `lines` are not none.
std::string joined(Views lines) {
  std::string text;
  for (const std::string_view line : lines) text.append(line).append("\n");
  text.pop_back();
  return text;
}

}  // namespace

LineStarts LineFinder::exact() const { return occurrences(lines_, pattern_, kMostLines); }

LineStarts LineFinder::trimmed() const {
  return occurrences(keys(lines_, strip), keys(pattern_, strip), kMostLines);
}

LineStarts LineFinder::start_trimmed() const {
  return occurrences(keys(lines_, strip_start), keys(pattern_, strip_start), kMostLines);
}

LineStarts LineFinder::blanks_normalized() const {
  std::deque<std::string> folded;
  const auto key = [&folded](std::string_view line) -> std::string_view {
    Fold fold = fold_blanks(line);
    return fold.changed() ? folded.emplace_back(fold.text()) : line;
  };
  return occurrences(keys(lines_, key), keys(pattern_, key), kMostLines);
}

LineStarts LineFinder::boundary_trimmed() const {
  const std::size_t count = pattern_.size();
  if (count < 3) return trimmed();
  LineStarts starts;
  for (const std::size_t middle : occurrences(lines_, pattern_.subspan(1, count - 2), kMostLines)) {
    if (middle == 0 || middle + count - 2 == lines_.size()) continue;
    const std::size_t start = middle - 1;
    if (strip(lines_[start]) == strip(pattern_.front()) &&
        strip(lines_[start + count - 1]) == strip(pattern_.back())) {
      starts.push_back(start);
    }
  }
  return starts;
}

LineFinder::TypedLines LineFinder::typed_lines(Views lines) {
  TypedLines typed;
  typed.lines = keys(lines, [&typed](std::string_view line) -> std::string_view {
    Fold fold = fold_typography(line);
    return fold.changed() ? typed.changed.emplace_back(fold.text()) : line;
  });
  typed.trimmed = keys(typed.lines, strip);
  return typed;
}

void LineFinder::fold_once() {
  if (folded_) return;
  folded_ = true;
  typed_ = typed_lines(lines_);
  typed_pattern_ = typed_lines(pattern_);
}

LineStarts LineFinder::typed() {
  fold_once();
  if (typed_.changed.empty() && typed_pattern_.changed.empty()) return {};
  return occurrences(typed_.lines, typed_pattern_.lines, kMostLines);
}

LineStarts LineFinder::typed_trimmed() {
  fold_once();
  if (typed_.changed.empty() && typed_pattern_.changed.empty()) return {};
  return occurrences(typed_.trimmed, typed_pattern_.trimmed, kMostLines);
}

LineStarts LineFinder::block_anchor() {
  const std::size_t count = pattern_.size();
  if (count < 2 || lines_.size() < count) return {};
  fold_once();
  LineStarts candidates;
  for (std::size_t start = 0; start + count <= lines_.size(); ++start) {
    if (typed_.trimmed[start] == typed_pattern_.trimmed.front() &&
        typed_.trimmed[start + count - 1] == typed_pattern_.trimmed.back()) {
      candidates.push_back(start);
    }
  }
  if (count == 2) return candidates;

  const double least = candidates.size() == 1 ? kOnlyBlock : kOneOfBlocks;
  const auto middle_of = [count](Views lines, std::size_t start) {
    return joined(lines.subspan(start + 1, count - 2));
  };
  Similarity middle(to_chars(middle_of(typed_pattern_.lines, 0)));
  LineStarts starts;
  for (const std::size_t start : candidates) {
    const std::string text = middle_of(typed_.lines, start);
    if (!budget_.spend(text.size() + count)) return {};
    if (middle.ratio(to_chars(text), least, budget_) >= least) starts.push_back(start);
  }
  // What was not compared might have been another place.
  return budget_.exhausted() ? LineStarts{} : starts;
}

// Half of the lines that show something have to fit, so only places where that many do are looked
// at.
LineStarts LineFinder::context_aware() {
  fold_once();
  std::unordered_map<std::string_view, std::vector<std::size_t>> places;
  std::size_t visible = 0;
  for (std::size_t i = 0; i < pattern_.size(); ++i) {
    if (typed_pattern_.trimmed[i].empty()) continue;
    places[typed_pattern_.trimmed[i]].push_back(i);
    ++visible;
  }
  if (visible < kFewestLines || lines_.size() < pattern_.size()) return {};

  std::vector<std::uint32_t> fitting(lines_.size() - pattern_.size() + 1, 0);
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    const auto found = places.find(typed_.trimmed[i]);
    if (found == places.end()) continue;
    if (!budget_.spend(found->second.size())) return {};
    for (const std::size_t place : found->second) {
      if (place <= i && i - place < fitting.size()) ++fitting[i - place];
    }
  }
  LineStarts starts;
  for (std::size_t start = 0; start < fitting.size(); ++start) {
    if (fitting[start] >= (visible + 1) / 2 && resembles(start)) starts.push_back(start);
  }
  return budget_.exhausted() ? LineStarts{} : starts;
}

// Nothing that is in the file may vanish because lines around it fit: each line that shows
// something has its like in the pattern.
bool LineFinder::resembles(std::size_t start) {
  for (std::size_t i = 0; i < pattern_.size(); ++i) {
    const std::string_view line = typed_.trimmed[start + i];
    const std::string_view wanted = typed_pattern_.trimmed[i];
    if (line == wanted || line.empty()) continue;
    if (!budget_.spend(line.size() + wanted.size())) return false;
    Similarity similarity(to_chars(line));
    if (similarity.ratio(to_chars(wanted), kAlikeLines, budget_) < kAlikeLines) return false;
  }
  return true;
}

}  // namespace talaria::edit
