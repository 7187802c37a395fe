#include "host/config/setting.h"

#include <algorithm>

namespace talaria {

bool Setting::is_variable(std::string_view word) const {
  return !word.empty() && (word == variable || word == details.older_variable);
}

bool Setting::is_key(std::string_view word) const {
  return !word.empty() && (word == key || word == details.older_key);
}

bool Setting::counts_for(std::string_view target) const {
  if (details.targets.empty()) return details.standing == Standing::works;
  std::string_view words = details.targets;
  while (!words.empty()) {
    if (next_word(words) == target) return true;
  }
  return false;
}

std::string_view next_word(std::string_view& words, char separator) {
  const std::size_t end = std::min(words.find(separator), words.size());
  const std::string_view word = words.substr(0, end);
  words.remove_prefix(std::min(end + 1, words.size()));
  return word;
}

}  // namespace talaria
