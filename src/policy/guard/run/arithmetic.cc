#include "policy/guard/run/arithmetic.h"

#include "base/text.h"
#include "policy/guard/syntax/script_reader.h"

namespace talaria::guard {
namespace {

constexpr std::size_t kMaxSum = 200;
constexpr int kMaxSumDepth = 16;
constexpr std::int64_t kMaxTerm = 1'000'000'000;  // no product of two is too large

using Number = std::optional<std::int64_t>;

class Sum {
 public:
  Sum(std::string_view text, const VariableText& variable, int depth)
      : text_(text), variable_(variable), depth_(depth) {}

  Number whole() {
    const Number value = text_.size() > kMaxSum ? std::nullopt : terms("+-");
    return next() == '\0' ? value : std::nullopt;
  }

 private:
  char next() {
    text_.remove_prefix(std::min(text_.find_first_not_of(" \t\n"), text_.size()));
    return text_.empty() ? '\0' : text_.front();
  }

  bool take(char c) {
    if (next() != c) return false;
    text_.remove_prefix(1);
    return true;
  }

  // a + b - c, or what these are made of: a * b / c % d
  Number terms(std::string_view signs) {
    const bool sums = signs == "+-";
    Number value = sums ? terms("*/%") : factor();
    for (char sign = next(); value && sign != '\0' && signs.contains(sign); sign = next()) {
      take(sign);
      const Number more = sums ? terms("*/%") : factor();
      if (!more || (*more == 0 && (sign == '/' || sign == '%'))) return std::nullopt;
      value = sign == '+'   ? *value + *more
              : sign == '-' ? *value - *more
              : sign == '*' ? *value * *more
              : sign == '/' ? *value / *more
                            : *value % *more;
      if (*value > kMaxTerm || *value < -kMaxTerm) return std::nullopt;
    }
    return value;
  }

  Number factor() {
    if (++depth_ > kMaxSumDepth) return std::nullopt;
    if (take('-')) {
      const Number value = factor();
      return value ? Number(-*value) : std::nullopt;
    }
    if (take('+')) return factor();
    if (take('(')) {
      const Number value = terms("+-");
      return take(')') ? value : std::nullopt;
    }
    std::size_t end = 0;
    while (end < text_.size() && is_name_char(text_[end])) ++end;
    const std::string_view word = text_.substr(0, end);
    text_.remove_prefix(end);
    if (word.empty() || word.size() > 9 || (word.size() > 1 && word.front() == '0')) return {};
    if (!is_name_start(word.front())) return parse_integer<std::int64_t>(word);
    const std::optional<std::string> text = variable_(word);
    return text ? Sum(*text, variable_, depth_).whole() : std::nullopt;
  }

  std::string_view text_;
  const VariableText& variable_;
  int depth_;
};

}  // namespace

std::optional<std::int64_t> compute_sum(std::string_view text, const VariableText& variable) {
  return Sum(text, variable, 0).whole();
}

}  // namespace talaria::guard
