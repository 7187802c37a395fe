// Arithmetic as bash does it, on a text whose expansions are done: $((2/2)), 0x1f, 2#101, a ? b :
// c.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace talaria::guard {

struct ArithmeticResult {
  std::int64_t value = 0;
  std::map<std::string, std::int64_t> assigned;  // what it sets variables to
  bool constant = true;                          // it depends on no variable
};

// The text of a variable; nothing: it is not known.
using VariableText = std::function<std::optional<std::string>(const std::string& name)>;

// Nothing: it cannot be told, is too long, or is an error.
std::optional<ArithmeticResult> evaluate_arithmetic(std::string_view text,
                                                    const VariableText& variable);

}  // namespace talaria::guard
