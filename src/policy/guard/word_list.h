// Lists of names in one string, as the tables of the guard have them.
#pragma once

#include <string_view>

#include "base/text.h"

namespace talaria::guard {

inline bool among(std::string_view word, std::string_view list, char separator = ' ') {
  if (word.empty() || word.contains(separator)) return false;
  for (std::size_t at = 0; (at = list.find(word, at)) != std::string_view::npos; ++at) {
    const std::size_t end = at + word.size();
    const bool begins = at == 0 || list[at - 1] == separator;
    if (begins && (end == list.size() || list[end] == separator)) return true;
  }
  return false;
}

}  // namespace talaria::guard
