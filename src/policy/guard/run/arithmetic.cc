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
    const Number value = text_.size() > kMaxSum ? std::nullopt : sum();
    skip();
    return text_.empty() ? value : std::nullopt;
  }

 private:
  void skip() { text_.remove_prefix(std::min(text_.find_first_not_of(" \t\n"), text_.size())); }
  bool take(char c) {
    skip();
    if (!text_.starts_with(c)) return false;
    text_.remove_prefix(1);
    return true;
  }

  static Number bounded(Number value) {
    return value && *value <= kMaxTerm && *value >= -kMaxTerm ? value : std::nullopt;
  }

  Number sum() {
    Number value = product();
    while (value) {
      const bool plus = take('+');
      if (!plus && !take('-')) break;
      const Number more = product();
      value = more ? bounded(plus ? *value + *more : *value - *more) : std::nullopt;
    }
    return value;
  }

  Number product() {
    Number value = factor();
    while (value) {
      skip();
      const char sign = text_.empty() ? '\0' : text_.front();
      if (sign != '*' && sign != '/' && sign != '%') break;
      text_.remove_prefix(1);
      const Number more = factor();
      if (!more || (sign != '*' && *more == 0)) return std::nullopt;
      value = bounded(sign == '*' ? *value * *more : sign == '/' ? *value / *more : *value % *more);
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
      const Number value = sum();
      return take(')') ? value : std::nullopt;
    }
    skip();
    std::size_t end = 0;
    while (end < text_.size() && is_name_char(text_[end])) ++end;
    const std::string_view word = text_.substr(0, end);
    text_.remove_prefix(end);
    if (word.empty() || (word.size() > 1 && word.front() == '0')) return std::nullopt;
    if (!is_name_start(word.front())) return bounded(parse_integer<std::int64_t>(word));
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
