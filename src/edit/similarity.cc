#include "edit/similarity.h"

#include <algorithm>
#include <span>

#include "base/text.h"

namespace talaria::edit {
namespace {

constexpr std::size_t kLongText = 200;  // from here on characters may be too common
constexpr std::uint32_t kNone = ~0u;    // a character the own text does not have

double as_ratio(std::size_t shared, std::size_t total) {
  return total == 0 ? 1.0 : 2.0 * static_cast<double>(shared) / static_cast<double>(total);
}

}  // namespace

std::u32string to_chars(std::string_view text) {
  std::u32string chars;
  chars.reserve(text.size());
  while (!text.empty()) {
    const Utf8Char next = first_char(text);
    chars += next.value;
    text.remove_prefix(next.size);
  }
  return chars;
}

Similarity::Similarity(std::u32string_view text) : alphabet_(text) {
  std::ranges::sort(alphabet_);
  alphabet_.erase(std::unique(alphabet_.begin(), alphabet_.end()), alphabet_.end());

  starts_.assign(alphabet_.size() + 1, 0);
  for (const char32_t c : text) {
    own_.push_back(id_of(c));
    ++starts_[own_.back() + 1];
  }
  const std::size_t common = text.size() / 100 + 1;
  for (std::size_t id = 0; id < alphabet_.size(); ++id) {
    popular_.push_back(text.size() >= kLongText && starts_[id + 1] > common);
    starts_[id + 1] += starts_[id];
  }
  positions_.resize(own_.size());
  std::vector<std::uint32_t> filled = starts_;
  for (std::uint32_t i = 0; i < own_.size(); ++i) positions_[filled[own_[i]]++] = i;
  row_.assign(own_.size() + 1, 0);
  next_.assign(own_.size() + 1, 0);
}

std::uint32_t Similarity::id_of(char32_t c) const {
  const auto found = std::ranges::lower_bound(alphabet_, c);
  if (found == alphabet_.end() || *found != c) return kNone;
  return static_cast<std::uint32_t>(found - alphabet_.begin());
}

// Wherever they stand: never fewer than the shared stretches have.
std::size_t Similarity::shared_characters() const {
  std::vector<std::uint32_t> left(alphabet_.size());
  for (std::size_t id = 0; id < left.size(); ++id) left[id] = starts_[id + 1] - starts_[id];
  std::size_t shared = 0;
  for (const std::uint32_t id : other_) {
    if (id == kNone || left[id] == 0) continue;
    --left[id];
    ++shared;
  }
  return shared;
}

double Similarity::ratio(std::u32string_view other, double least, WorkBudget& budget) {
  const std::size_t total = own_.size() + other.size();
  if (as_ratio(std::min(own_.size(), other.size()), total) < least) return 0;
  if (!budget.spend(total)) return 0;
  other_.clear();
  for (const char32_t c : other) other_.push_back(id_of(c));
  if (as_ratio(shared_characters(), total) < least) return 0;

  std::size_t shared = 0;
  std::vector<Window> waiting{{0, other_.size(), 0, own_.size()}};
  while (!waiting.empty()) {
    const Window window = waiting.back();
    waiting.pop_back();
    const Stretch found = longest(window, budget);
    if (budget.exhausted()) return 0;
    if (found.size == 0) continue;
    shared += found.size;
    if (found.other > window.other_begin && found.own > window.own_begin) {
      waiting.push_back({window.other_begin, found.other, window.own_begin, found.own});
    }
    const std::size_t other_end = found.other + found.size;
    const std::size_t own_end = found.own + found.size;
    if (other_end < window.other_end && own_end < window.own_end) {
      waiting.push_back({other_end, window.other_end, own_end, window.own_end});
    }
  }
  const double ratio = as_ratio(shared, total);
  return ratio < least ? 0 : ratio;
}

// The first of the longest stretches in the window. Row by row, a character of the other text each:
// a stretch that ends here is one longer than the one that ended one before in both texts.
Similarity::Stretch Similarity::longest(const Window& window, WorkBudget& budget) {
  Stretch best{window.other_begin, window.own_begin, 0};
  const auto positions = [&](std::size_t i) -> std::span<const std::uint32_t> {
    const std::uint32_t id = other_[i];
    if (id == kNone || popular_[id]) return {};
    const std::span all = std::span(positions_).subspan(starts_[id], starts_[id + 1] - starts_[id]);
    const auto first = std::ranges::lower_bound(all, window.own_begin);
    const auto last = std::ranges::lower_bound(all, window.own_end);
    return {first, last};
  };
  std::span<const std::uint32_t> touched;
  for (std::size_t i = window.other_begin; i < window.other_end; ++i) {
    const auto current = positions(i);
    if (!budget.spend(1 + current.size())) break;
    for (const std::uint32_t j : current) {
      const std::uint32_t size = next_[j + 1] = row_[j] + 1;
      if (size > best.size) best = {i + 1 - size, j + 1 - size, size};
    }
    for (const std::uint32_t j : touched) row_[j + 1] = 0;
    row_.swap(next_);
    touched = current;
  }
  for (const std::uint32_t j : touched) row_[j + 1] = 0;
  extend(best, window);
  return best;
}

// By what is too common to start a stretch, but belongs to one.
void Similarity::extend(Stretch& stretch, const Window& window) const {
  while (stretch.other > window.other_begin && stretch.own > window.own_begin &&
         other_[stretch.other - 1] == own_[stretch.own - 1]) {
    --stretch.other;
    --stretch.own;
    ++stretch.size;
  }
  while (stretch.other + stretch.size < window.other_end &&
         stretch.own + stretch.size < window.own_end &&
         other_[stretch.other + stretch.size] == own_[stretch.own + stretch.size]) {
    ++stretch.size;
  }
}

}  // namespace talaria::edit
