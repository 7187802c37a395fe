#include "bench/numbers.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace talaria::bench {
namespace {

double at_rank(const std::vector<double>& sorted, double share) {
  const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(sorted.size())));
  return sorted[std::max<std::size_t>(rank, 1) - 1];
}

}  // namespace

Spread spread_of(std::vector<double> values) {
  std::ranges::sort(values);
  return {.p50 = at_rank(values, 0.5), .p95 = at_rank(values, 0.95)};
}

double median_of(std::vector<double> values) { return spread_of(std::move(values)).p50; }

std::string fixed(double value, int digits) {
  std::array<char, 64> text{};
  const auto end = std::to_chars(text.begin(), text.end(), value, std::chars_format::fixed, digits);
  return {text.begin(), end.ptr};
}

}  // namespace talaria::bench
