#include "edit/strategies.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/limits.h"
#include "edit/line_finder.h"
#include "edit/search.h"

namespace talaria::edit {
namespace {

constexpr std::size_t kMostFound = kMaxEditPlaces + 1;

bool shows_nothing(std::string_view text) { return strip(text).empty(); }

std::string indent_read_by(Strategy strategy, std::string_view pattern) {
  if (strategy != Strategy::escape_normalized) return std::string(first_indent(pattern));
  return std::string(first_indent(unescaped(pattern)));
}

std::vector<Range> substrings(std::string_view text, std::string_view pattern) {
  std::vector<Range> ranges;
  for (const std::size_t begin : occurrences(text, pattern, kMostFound)) {
    ranges.push_back({begin, begin + pattern.size()});
  }
  return ranges;
}

std::vector<Range> substrings(const Fold& text, const Fold& pattern) {
  std::vector<Range> ranges;
  for (const Range& range : substrings(text.text(), pattern.text())) {
    if (const auto source = text.source(range)) ranges.push_back(*source);
  }
  return ranges;
}

// One search in a text: a function per strategy, and the table of their order.
class TextFinder {
 public:
  TextFinder(const Lines& subject, std::string_view pattern, WorkBudget& budget)
      : subject_(subject),
        pattern_(pattern),
        pattern_lines_(split_lines(pattern)),
        lines_(subject.all(), pattern_lines_, budget) {}

  std::optional<Found> run() {
    for (const auto& [strategy, search] : kChain) {
      std::vector<Range> ranges = (this->*search)();
      if (!ranges.empty()) return found(strategy, std::move(ranges));
      if (shows_nothing(pattern_)) break;
    }
    return std::nullopt;
  }

 private:
  using Search = std::vector<Range> (TextFinder::*)();

  std::vector<Range> exact() { return substrings(subject_.text(), pattern_); }
  std::vector<Range> line_trimmed() { return whole_lines(lines_.trimmed()); }
  std::vector<Range> whitespace_normalized() {
    return substrings(fold_blanks(subject_.text()), fold_blanks(pattern_));
  }
  std::vector<Range> indentation_flexible() { return whole_lines(lines_.start_trimmed()); }
  std::vector<Range> escape_normalized() {
    const std::string pattern = unescaped(pattern_);
    if (pattern == pattern_) return {};
    return substrings(subject_.text(), fold_line_endings(pattern).text());
  }
  std::vector<Range> trimmed_boundary() { return whole_lines(lines_.boundary_trimmed()); }
  std::vector<Range> unicode_normalized() {
    const Fold text = fold_typography(subject_.text());
    const Fold pattern = fold_typography(pattern_);
    if (!text.changed() && !pattern.changed()) return {};
    std::vector<Range> ranges = substrings(text, pattern);
    return ranges.empty() ? whole_lines(lines_.typed_trimmed()) : ranges;
  }
  std::vector<Range> block_anchor() { return whole_lines(lines_.block_anchor()); }
  std::vector<Range> context_aware() { return whole_lines(lines_.context_aware()); }

  std::vector<Range> whole_lines(const LineStarts& starts) const {
    std::vector<Range> ranges;
    ranges.reserve(starts.size());
    for (const std::size_t start : starts) {
      ranges.push_back(subject_.range(start, pattern_lines_.size(), pattern_.ends_with('\n')));
    }
    return ranges;
  }

  Found found(Strategy strategy, std::vector<Range> ranges) const {
    return {strategy, indent_read_by(strategy, pattern_), std::move(ranges)};
  }

  static constexpr std::array<std::pair<Strategy, Search>, 9> kChain{{
      {Strategy::exact, &TextFinder::exact},
      {Strategy::line_trimmed, &TextFinder::line_trimmed},
      {Strategy::whitespace_normalized, &TextFinder::whitespace_normalized},
      {Strategy::indentation_flexible, &TextFinder::indentation_flexible},
      {Strategy::escape_normalized, &TextFinder::escape_normalized},
      {Strategy::trimmed_boundary, &TextFinder::trimmed_boundary},
      {Strategy::unicode_normalized, &TextFinder::unicode_normalized},
      {Strategy::block_anchor, &TextFinder::block_anchor},
      {Strategy::context_aware, &TextFinder::context_aware},
  }};

  const Lines& subject_;
  std::string_view pattern_;
  std::vector<std::string_view> pattern_lines_;
  LineFinder lines_;
};

// The same order where only whole lines count.
class WholeLineFinder {
 public:
  WholeLineFinder(std::span<const std::string_view> subject,
                  std::span<const std::string_view> pattern, WorkBudget& budget)
      : subject_(subject), pattern_(pattern), budget_(budget), lines_(subject, pattern, budget) {}

  std::optional<FoundLines> run() {
    const bool blank = std::ranges::all_of(pattern_, shows_nothing);
    for (const auto& [strategy, search] : kChain) {
      LineStarts starts = (this->*search)();
      if (!starts.empty()) return FoundLines{strategy, indent(strategy), std::move(starts)};
      if (blank) break;
    }
    return std::nullopt;
  }

 private:
  using Search = LineStarts (WholeLineFinder::*)();

  LineStarts exact() { return lines_.exact(); }
  LineStarts line_trimmed() { return lines_.trimmed(); }
  LineStarts whitespace_normalized() { return lines_.blanks_normalized(); }
  LineStarts indentation_flexible() { return lines_.start_trimmed(); }
  // Not where one line would become several: each line of the pattern stands for one of the file.
  LineStarts escape_normalized() {
    const auto pattern = unescaped_pattern();
    if (std::ranges::equal(pattern, pattern_)) return {};
    if (std::ranges::any_of(pattern, [](const auto& line) { return line.contains('\n'); }))
      return {};
    const std::vector<std::string_view> views(pattern.begin(), pattern.end());
    return LineFinder(subject_, views, budget_).exact();
  }
  LineStarts trimmed_boundary() { return lines_.boundary_trimmed(); }
  LineStarts unicode_normalized() {
    LineStarts starts = lines_.typed();
    return starts.empty() ? lines_.typed_trimmed() : starts;
  }
  LineStarts block_anchor() { return lines_.block_anchor(); }
  LineStarts context_aware() { return lines_.context_aware(); }

  std::vector<std::string> unescaped_pattern() const {
    std::vector<std::string> pattern;
    for (const std::string_view line : pattern_) pattern.push_back(unescaped(line));
    return pattern;
  }

  std::string indent(Strategy strategy) const {
    const auto line = std::ranges::find_if_not(pattern_, shows_nothing);
    if (line == pattern_.end()) return "";
    return indent_read_by(strategy, *line);
  }

  static constexpr std::array<std::pair<Strategy, Search>, 9> kChain{{
      {Strategy::exact, &WholeLineFinder::exact},
      {Strategy::line_trimmed, &WholeLineFinder::line_trimmed},
      {Strategy::whitespace_normalized, &WholeLineFinder::whitespace_normalized},
      {Strategy::indentation_flexible, &WholeLineFinder::indentation_flexible},
      {Strategy::escape_normalized, &WholeLineFinder::escape_normalized},
      {Strategy::trimmed_boundary, &WholeLineFinder::trimmed_boundary},
      {Strategy::unicode_normalized, &WholeLineFinder::unicode_normalized},
      {Strategy::block_anchor, &WholeLineFinder::block_anchor},
      {Strategy::context_aware, &WholeLineFinder::context_aware},
  }};

  std::span<const std::string_view> subject_;
  std::span<const std::string_view> pattern_;
  WorkBudget& budget_;
  LineFinder lines_;
};

}  // namespace

std::optional<Found> find_text(const Lines& subject, std::string_view pattern, WorkBudget& budget) {
  return TextFinder(subject, pattern, budget).run();
}

std::optional<FoundLines> find_lines(std::span<const std::string_view> subject,
                                     std::span<const std::string_view> pattern,
                                     WorkBudget& budget) {
  return WholeLineFinder(subject, pattern, budget).run();
}

std::string unescaped(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char next = text[i] == '\\' && i + 1 < text.size() ? text[i + 1] : '\0';
    const char real = next == 'n' ? '\n' : next == 't' ? '\t' : next == 'r' ? '\r' : '\0';
    plain += real ? real : text[i];
    if (real) ++i;
  }
  return plain;
}

}  // namespace talaria::edit
