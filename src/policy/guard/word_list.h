// Lists of names in one string, as the tables of the guard have them.
#pragma once

#include <string_view>

#include "base/text.h"

namespace talaria::guard {

inline bool among(std::string_view word, std::string_view list, char separator = ' ') {
  while (!list.empty()) {
    if (next_word(list, separator) == word) return true;
  }
  return false;
}

}  // namespace talaria::guard
