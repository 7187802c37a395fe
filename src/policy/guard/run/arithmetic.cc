#include "policy/guard/run/arithmetic.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "policy/guard/syntax/script_reader.h"
#include "policy/guard/word_list.h"

namespace talaria::guard {
namespace {

constexpr std::size_t kMaxText = 1024;
constexpr int kMaxArithmeticNesting = 32;

// A binary operator and how tightly it binds; the longer ones first.
struct Operator {
  std::string_view text;
  int binds;
};
constexpr std::array<Operator, 19> kOperators{{{"**", 11},
                                               {"<<", 8},
                                               {">>", 8},
                                               {"<=", 7},
                                               {">=", 7},
                                               {"==", 6},
                                               {"!=", 6},
                                               {"&&", 2},
                                               {"||", 1},
                                               {"*", 10},
                                               {"/", 10},
                                               {"%", 10},
                                               {"+", 9},
                                               {"-", 9},
                                               {"<", 7},
                                               {">", 7},
                                               {"&", 5},
                                               {"^", 4},
                                               {"|", 3}}};

std::int64_t wrapped(std::uint64_t value) { return static_cast<std::int64_t>(value); }

// Bash's digits: 0-9 a-z A-Z @ _; up to base 36 capitals are like small letters.
int digit_of(char c, int base) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'z') return c - 'a' + 10;
  if (c >= 'A' && c <= 'Z') return c - 'A' + (base <= 36 ? 10 : 36);
  if (c == '@') return 62;
  return c == '_' ? 63 : 64;
}

// Reads and computes at once. `fails_` stays set: then nothing is told.
class Evaluator {
 public:
  Evaluator(std::string_view text, const VariableText& variable, ArithmeticResult& result,
            int depth)
      : text_(text), variable_(variable), result_(result), depth_(depth) {}

  std::optional<std::int64_t> whole() {
    const std::int64_t value = list();
    skip();
    if (fails_ || at_ < text_.size()) return std::nullopt;
    return value;
  }

 private:
  void skip() {
    while (at_ < text_.size() && std::string_view(" \t\n").contains(text_[at_])) ++at_;
  }
  bool take(std::string_view token) {
    skip();
    if (!text_.substr(at_).starts_with(token)) return false;
    at_ += token.size();
    return true;
  }
  std::int64_t fail() {
    fails_ = true;
    at_ = text_.size();
    return 0;
  }

  // a, b
  std::int64_t list() {
    std::int64_t value = assignment();
    while (!fails_ && take(",")) value = assignment();
    return value;
  }

  // name = value, name += value; all but names are conditions
  std::int64_t assignment() {
    if (++depth_ > kMaxArithmeticNesting) return fail();
    skip();
    const std::size_t begin = at_;
    const std::string name = take_name();
    skip();
    const std::size_t end = text_.find('=', at_);
    std::string_view how;
    if (!name.empty() && end != std::string_view::npos && end - at_ <= 2) {
      how = text_.substr(at_, end - at_);
    }
    const bool assigns = !name.empty() && end != std::string_view::npos && end - at_ <= 2 &&
                         (how.empty() || among(how, "* / % + - << >> & ^ |")) &&
                         !text_.substr(end).starts_with("==");
    std::int64_t value = 0;
    if (assigns) {
      at_ = end + 1;
      const std::int64_t right = assignment();
      value = how.empty() ? right : apply(how, value_of(name), right);
      if (runs_) result_.assigned[name] = value;
    } else {
      at_ = begin;
      value = condition();
    }
    --depth_;
    return value;
  }

  std::int64_t condition() {
    const std::int64_t test = binary(1);
    if (fails_ || !take("?")) return test;
    const std::int64_t first = only_if(test != 0, [&] { return list(); });
    if (!take(":")) return fail();
    const std::int64_t second = only_if(test == 0, [&] { return assignment(); });
    return test != 0 ? first : second;
  }

  // What is skipped is read, but neither assigns nor fails by dividing.
  template <class Read>
  std::int64_t only_if(bool runs, Read read) {
    const bool outer = std::exchange(runs_, runs_ && runs);
    const std::int64_t value = read();
    runs_ = outer;
    return value;
  }

  const Operator* next_operator(int least) {
    skip();
    const std::string_view rest = text_.substr(at_);
    for (const Operator& one : kOperators) {
      if (!rest.starts_with(one.text)) continue;
      return one.binds >= least ? &one : nullptr;
    }
    return nullptr;
  }

  std::int64_t binary(int least) {
    if (++depth_ > kMaxArithmeticNesting) return fail();
    std::int64_t left = unary();
    while (!fails_) {
      const Operator* const one = next_operator(least);
      if (one == nullptr) break;
      at_ += one->text.size();
      const bool to_right = one->text == "**";
      const bool needed = !((one->text == "&&" && left == 0) || (one->text == "||" && left != 0));
      const std::int64_t right =
          only_if(needed, [&] { return binary(to_right ? one->binds : one->binds + 1); });
      left = apply(one->text, left, right);
    }
    --depth_;
    return left;
  }

  std::int64_t apply(std::string_view how, std::int64_t left, std::int64_t right) {
    const auto a = static_cast<std::uint64_t>(left);
    const auto b = static_cast<std::uint64_t>(right);
    if (how == "+") return wrapped(a + b);
    if (how == "-") return wrapped(a - b);
    if (how == "*") return wrapped(a * b);
    if (how == "<<") return wrapped(a << (b & 63));
    if (how == ">>") return left >> (b & 63);
    if (how == "<=") return left <= right ? 1 : 0;
    if (how == ">=") return left >= right ? 1 : 0;
    if (how == "<") return left < right ? 1 : 0;
    if (how == ">") return left > right ? 1 : 0;
    if (how == "==") return left == right ? 1 : 0;
    if (how == "!=") return left != right ? 1 : 0;
    if (how == "&&") return left != 0 && right != 0 ? 1 : 0;
    if (how == "||") return left != 0 || right != 0 ? 1 : 0;
    if (how == "&") return left & right;
    if (how == "^") return left ^ right;
    if (how == "|") return left | right;
    if (how == "**") return power(left, right);
    const bool impossible =
        right == 0 || (right == -1 && left == std::numeric_limits<std::int64_t>::min());
    if (impossible) return runs_ ? fail() : 0;
    return how == "/" ? left / right : left % right;
  }

  std::int64_t power(std::int64_t base, std::int64_t exponent) {
    if (exponent < 0) return runs_ ? fail() : 0;
    std::uint64_t value = 1;
    auto factor = static_cast<std::uint64_t>(base);
    for (; exponent > 0; exponent >>= 1, factor *= factor) {
      if ((exponent & 1) != 0) value *= factor;
    }
    return wrapped(value);
  }

  std::int64_t unary() {
    if (++depth_ > kMaxArithmeticNesting) return fail();
    std::int64_t value = 0;
    if (take("++") || take("--")) {
      const bool plus = text_[at_ - 1] == '+';
      skip();
      const std::string name = take_name();
      if (name.empty()) {  // two signs
        value = unary();
      } else {
        value = value_of(name) + (plus ? 1 : -1);
        if (runs_) result_.assigned[name] = value;
      }
    } else if (take("-")) {
      value = apply("-", 0, unary());
    } else if (take("+")) {
      value = unary();
    } else if (take("!")) {
      value = unary() == 0 ? 1 : 0;
    } else if (take("~")) {
      value = ~unary();
    } else {
      value = operand();
    }
    --depth_;
    return value;
  }

  std::int64_t operand() {
    if (take("(")) {
      const std::int64_t value = list();
      return take(")") ? value : fail();
    }
    skip();
    if (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9') return number();
    const std::string name = take_name();
    if (name.empty() || (at_ < text_.size() && text_[at_] == '[')) return fail();
    const std::int64_t value = value_of(name);
    if (take("++") || take("--")) {
      if (runs_) result_.assigned[name] = value + (text_[at_ - 1] == '+' ? 1 : -1);
    }
    return value;
  }

  std::int64_t number() {
    int base = 10;
    if (text_.substr(at_).starts_with("0x") || text_.substr(at_).starts_with("0X")) {
      base = 16;
      at_ += 2;
    } else if (text_[at_] == '0') {
      base = 8;
    }
    std::uint64_t value = digits(base);
    if (at_ < text_.size() && text_[at_] == '#' && base == 10) {
      if (value < 2 || value > 64) return fail();
      base = static_cast<int>(value);
      ++at_;
      const std::size_t begin = at_;
      value = digits(base);
      if (at_ == begin) return fail();
    }
    const bool more = at_ < text_.size() && digit_of(text_[at_], 64) < 64;
    return more ? fail() : wrapped(value);
  }

  std::uint64_t digits(int base) {
    std::uint64_t value = 0;
    for (; at_ < text_.size() && digit_of(text_[at_], base) < base; ++at_) {
      value = value * static_cast<std::uint64_t>(base) +
              static_cast<std::uint64_t>(digit_of(text_[at_], base));
    }
    return value;
  }

  std::string take_name() {
    if (at_ >= text_.size() || !is_name_start(text_[at_])) return "";
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_name_char(text_[at_])) ++at_;
    return std::string(text_.substr(begin, at_ - begin));
  }

  // A variable's text is an expression in turn.
  std::int64_t value_of(const std::string& name) {
    if (const auto set = result_.assigned.find(name); set != result_.assigned.end()) {
      return set->second;
    }
    result_.constant = false;
    const std::optional<std::string> given = variable_(name);
    if (!given || given->size() > kMaxText) return fail();
    if (trim(*given).empty()) return 0;
    const std::optional<std::int64_t> value =
        Evaluator(*given, variable_, result_, depth_ + 1).whole();
    return value ? *value : fail();
  }

  std::string_view text_;
  const VariableText& variable_;
  ArithmeticResult& result_;
  int depth_;
  std::size_t at_ = 0;
  bool fails_ = false;
  bool runs_ = true;
};

}  // namespace

std::optional<ArithmeticResult> evaluate_arithmetic(std::string_view text,
                                                    const VariableText& variable) {
  if (text.size() > kMaxText) return std::nullopt;
  ArithmeticResult result;
  if (trim(text).empty()) return result;
  const std::optional<std::int64_t> value = Evaluator(text, variable, result, 0).whole();
  if (!value) return std::nullopt;
  result.value = *value;
  return result;
}

}  // namespace talaria::guard
