#include "front/cli/nearest.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace talaria::front::cli {
namespace {

// Damerau-Levenshtein distance: insertions, deletions, replacements, swaps of neighbours.
std::size_t distance(std::string_view from, std::string_view to) {
  std::vector<std::size_t> before(to.size() + 1);
  std::vector<std::size_t> row(to.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 1; i <= from.size(); ++i) {
    std::vector<std::size_t> next(to.size() + 1, i);
    for (std::size_t j = 1; j <= to.size(); ++j) {
      const std::size_t other = from[i - 1] == to[j - 1] ? 0 : 1;
      next[j] = std::min({row[j] + 1, next[j - 1] + 1, row[j - 1] + other});
      const bool swapped = i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1];
      if (swapped) next[j] = std::min(next[j], before[j - 2] + 1);
    }
    before = std::exchange(row, std::move(next));
  }
  return row.back();
}

}  // namespace

std::string_view nearest(std::string_view typed, std::span<const std::string_view> known) {
  std::string_view best;
  std::size_t least = std::max<std::size_t>(typed.size() / 3, 1) + 1;
  for (const std::string_view word : known) {
    const bool begun = typed.size() > 1 && word.starts_with(typed);
    const std::size_t far = begun ? 1 : distance(typed, word);
    if (far < least) {
      least = far;
      best = word;
    }
  }
  return best;
}

}  // namespace talaria::front::cli
