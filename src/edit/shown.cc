#include "edit/shown.h"

#include <algorithm>
#include <utility>

#include "base/limits.h"
#include "base/text.h"
#include "edit/lines.h"
#include "edit/similarity.h"

namespace talaria::edit {
namespace {

constexpr double kResembles = 0.3;  // more than this
constexpr std::size_t kSections = 3;
constexpr std::size_t kAround = 2;  // lines shown before and after a section

struct Near {
  double ratio;
  std::size_t line;
};

// The lines most like `wanted`, best first; of equals the first.
std::vector<Near> nearest(LineViews lines, std::string_view wanted) {
  WorkBudget budget(kMaxSimilaritySteps);
  Similarity similarity(to_chars(wanted));
  std::vector<Near> best;
  for (std::size_t i = 0; i < lines.size() && !budget.exhausted(); ++i) {
    const std::string_view line = strip(lines[i]);
    // Longer ones cannot reach 0.3, and need not be decoded to see it.
    if (line.empty() || line.size() > 4 * 6 * wanted.size()) continue;
    const double least = best.size() < kSections ? kResembles : best.back().ratio;
    const double ratio = similarity.ratio(to_chars(line), least, budget);
    if (ratio <= least) continue;
    const auto place =
        std::ranges::find_if(best, [ratio](const Near& n) { return n.ratio < ratio; });
    best.insert(place, {ratio, i});
    if (best.size() > kSections) best.pop_back();
  }
  return best;
}

std::string numbered(std::size_t line, const std::string& text) {
  const std::string number = std::to_string(line);
  return std::string(4 - std::min<std::size_t>(4, number.size()), ' ') + number + "| " + text;
}

std::string section(LineViews lines, std::size_t first, std::size_t count) {
  const std::size_t begin = first - std::min(first, kAround);
  const std::size_t end = std::min(lines.size(), first + count + kAround);
  std::string text;
  for (std::size_t i = begin; i < end; ++i) {
    text += numbered(i + 1, shown_line(lines[i])) + "\n";
  }
  text.pop_back();
  return text;
}

}  // namespace

std::string shown_line(std::string_view line) {
  const std::string text = sanitize_utf8(line.substr(0, (kMaxShownChars + 1) * kMaxUtf8Bytes));
  const std::string_view first = first_chars(text, kMaxShownChars);
  return first.size() < text.size() ? std::string(first) + "..." : text;
}

std::vector<Place> shown_places(LineViews lines, std::span<const std::size_t> starts) {
  std::vector<Place> places;
  for (const std::size_t start : starts.first(std::min(starts.size(), kMaxShownPlaces))) {
    places.push_back({start + 1, shown_line(lines[start])});
  }
  return places;
}

std::string did_you_mean(LineViews lines, LineViews wanted) {
  const auto anchor =
      std::ranges::find_if(wanted, [](std::string_view line) { return !strip(line).empty(); });
  std::string text;
  if (anchor == wanted.end()) return text;
  std::vector<std::string> sections;
  for (const Near& near : nearest(lines, strip(*anchor))) {
    std::string next = section(lines, near.line, std::min(wanted.size(), kMaxShownLines));
    // In a short file the lines around two places may be the same.
    if (std::ranges::find(sections, next) != sections.end()) continue;
    text += sections.empty() ? "\n\nDid you mean one of these sections?\n" : "\n---\n";
    text += next;
    sections.push_back(std::move(next));
  }
  return text;
}

std::string ambiguous_message(std::size_t count) {
  const bool all = count <= kMaxEditPlaces;  // nobody counted further
  return "Found " + (all ? std::to_string(count) : "over " + std::to_string(kMaxEditPlaces)) +
         " matches for old_string. Provide more context to make it unique, or use "
         "replace_all=True.";
}

std::string with_places(const EditFailure& failure) {
  std::string text = failure.message;
  for (const Place& place : failure.places) text += "\n" + numbered(place.line, place.text);
  return text;
}

}  // namespace talaria::edit
