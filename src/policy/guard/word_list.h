// Lists of names in one string, as the tables of the guard have them.
#pragma once

#include <string_view>

#include "base/text.h"

namespace talaria::guard {

inline bool among(std::string_view word, std::string_view list, char separator = ' ') {
  if (word.empty() || word.contains(separator)) return false;
  // most lists are asked for words they do not have: compare what has the right ends only
  for (std::size_t at = 0; (at = list.find(word.front(), at)) != std::string_view::npos; ++at) {
    const std::size_t end = at + word.size();
    if (end > list.size()) return false;
    if (at > 0 && list[at - 1] != separator) continue;
    if (end < list.size() && list[end] != separator) continue;
    if (list.substr(at, word.size()) == word) return true;
  }
  return false;
}

}  // namespace talaria::guard
