// What a tilde at the start of a word stands for: ~, ~/x, ~+, ~-, ~2, ~somebody.
#pragma once

#include <algorithm>
#include <string_view>

namespace talaria::guard {

struct Tilde {
  std::string_view variable;  // that holds the directory; empty: none does
  bool stacked = false;       // it is a directory of `dirs`
  std::string_view rest;      // of the word
};

inline Tilde read_tilde(std::string_view word) {
  const std::size_t slash = std::min(word.find('/'), word.size());
  const std::string_view name = word.substr(1, slash - 1);
  Tilde found{.rest = word.substr(slash)};
  if (name.empty()) {
    found.variable = "HOME";
  } else if (name == "+" || name == "-") {
    found.variable = name == "+" ? "PWD" : "OLDPWD";
  } else {
    found.stacked = name.find_first_not_of("+-0123456789") == std::string_view::npos;
  }
  return found;
}

}  // namespace talaria::guard
