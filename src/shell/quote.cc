#include "shell/quote.h"

#include <algorithm>

#include "base/text.h"

namespace talaria::shell {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

bool needs_no_quotes(char c) {
  return is_letter(c) || is_digit(c) || std::string_view("_@%+=:,./-").contains(c);
}

}  // namespace

std::string single_quote(std::string_view text) {
  std::string quoted;
  quoted.reserve(text.size() + 2);
  quoted += '\'';
  for (const char c : text) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  quoted += '\'';
  return quoted;
}

std::string shell_quote(std::string_view text) {
  if (!text.empty() && std::all_of(text.begin(), text.end(), needs_no_quotes))
    return std::string(text);
  return single_quote(text);
}

std::string octal(int mask) {
  std::string digits;
  for (const int shift : {9, 6, 3, 0}) digits += static_cast<char>('0' + ((mask >> shift) & 7));
  return digits;
}

bool is_variable_name(std::string_view name) {
  if (name.empty() || is_digit(name.front())) return false;
  return std::all_of(name.begin(), name.end(),
                     [](char c) { return is_letter(c) || is_digit(c) || c == '_'; });
}

}  // namespace talaria::shell
