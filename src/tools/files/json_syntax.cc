#include <cstddef>
#include <vector>

#include "base/text.h"
#include "tools/files/syntax.h"

namespace talaria::tool {
namespace {

// Reads a text as Python's json module does, which also takes NaN and Infinity.
class JsonReader {
 public:
  explicit JsonReader(std::string_view text) : text_(text) {}

  std::optional<std::string> flaw() {
    if (text_.starts_with(kBom)) {
      return "JSONDecodeError: Unexpected UTF-8 BOM (line 1, column 1)";
    }
    skip_blanks();
    if (!value()) return message();
    skip_blanks();
    if (at_ < text_.size()) {
      problem_ = "Extra data";
      return message();
    }
    return std::nullopt;
  }

 private:
  // Lists and objects that are open are on a stack, so that depth costs no stack of ours.
  bool value() {
    std::vector<char> open;
    for (;;) {
      if (peek() == '{' || peek() == '[') {
        const char opener = text_[at_++];
        skip_blanks();
        if (peek() != (opener == '{' ? '}' : ']')) {
          open.push_back(opener);
          if (opener == '{' && !key()) return false;
          continue;
        }
        ++at_;
      } else if (!scalar()) {
        return false;
      }
      if (!close(open)) return false;
      if (open.empty()) return true;
    }
  }

  // Behind a value: what it ends, up to the next value.
  bool close(std::vector<char>& open) {
    while (!open.empty()) {
      skip_blanks();
      const bool in_object = open.back() == '{';
      if (peek() == ',') {
        ++at_;
        skip_blanks();
        return !in_object || key();
      }
      if (peek() != (in_object ? '}' : ']')) return fails("Expecting ',' delimiter");
      ++at_;
      open.pop_back();
    }
    return true;
  }

  bool key() {
    if (peek() != '"') return fails("Expecting property name enclosed in double quotes");
    if (!string()) return false;
    skip_blanks();
    if (peek() != ':') return fails("Expecting ':' delimiter");
    ++at_;
    skip_blanks();
    return true;
  }

  bool scalar() {
    for (const std::string_view word : {"null", "true", "false", "NaN", "Infinity", "-Infinity"}) {
      if (!text_.substr(at_).starts_with(word)) continue;
      at_ += word.size();
      return true;
    }
    return peek() == '"' ? string() : number();
  }

  bool string() {
    const std::size_t begin = at_++;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '"') {
        ++at_;
        return true;
      }
      if (static_cast<unsigned char>(c) < 0x20) return fails("Invalid control character at");
      if (c == '\\' && !escape()) return false;
    }
    at_ = begin;
    return fails("Unterminated string starting at");
  }

  // Leaves `at_` at its last character.
  bool escape() {
    const char kind = at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
    if (kind == 'u') {
      const std::string_view digits = text_.substr(at_ + 2, 4);
      if (digits.size() < 4 ||
          digits.find_first_not_of("0123456789abcdefABCDEF") != std::string_view::npos) {
        return fails("Invalid \\uXXXX escape");
      }
      at_ += 5;
      return true;
    }
    if (kind == '\0' || !std::string_view("\"\\/bfnrt").contains(kind)) {
      return fails("Invalid \\escape");
    }
    ++at_;
    return true;
  }

  bool number() {
    std::size_t end = at_;
    if (end < text_.size() && text_[end] == '-') ++end;
    const std::size_t whole = end;
    while (end < text_.size() && is_digit(text_[end])) {
      ++end;
      if (text_[whole] == '0') break;  // nothing stands behind a leading zero
    }
    if (end == whole) return fails("Expecting value");
    if (const std::size_t fraction = digits_behind(end, ".")) end = fraction;
    if (const std::size_t power = digits_behind(end, "eE")) end = power;
    at_ = end;
    return true;
  }

  // The end of the digits behind one of these signs; 0: there are none, and the sign is not part of
  // the number.
  std::size_t digits_behind(std::size_t at, std::string_view signs) const {
    if (at >= text_.size() || !signs.contains(text_[at])) return 0;
    ++at;
    if (signs != "." && at < text_.size() && (text_[at] == '+' || text_[at] == '-')) ++at;
    const std::size_t first = at;
    while (at < text_.size() && is_digit(text_[at])) ++at;
    return at == first ? 0 : at;
  }

  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void skip_blanks() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").contains(text_[at_])) ++at_;
  }
  bool fails(std::string_view problem) {
    problem_ = problem;
    return false;
  }
  std::string message() const {
    std::size_t line = 1;
    std::size_t column = 1;
    for (const char c : text_.substr(0, at_)) {
      const bool continues = (static_cast<unsigned char>(c) & 0xC0) == 0x80;
      column = c == '\n' ? 1 : column + (continues ? 0 : 1);
      line += c == '\n' ? 1 : 0;
    }
    return "JSONDecodeError: " + std::string(problem_) + " (line " + std::to_string(line) +
           ", column " + std::to_string(column) + ")";
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string_view problem_;
};

}  // namespace

std::optional<std::string> json_flaw(std::string_view text) { return JsonReader(text).flaw(); }

}  // namespace talaria::tool
