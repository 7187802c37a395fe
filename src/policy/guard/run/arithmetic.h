// Sums as people write them: $((n / 2 - 1)). What bash has besides (shifts, comparisons, other
// bases, assignments) is not followed.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace talaria::guard {

// The text of a variable; nothing: it is not known.
using VariableText = std::function<std::optional<std::string>(std::string_view name)>;

// Nothing: the value is unknown.
std::optional<std::int64_t> compute_sum(std::string_view text, const VariableText& variable);

// 0, 12
inline bool is_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace talaria::guard
