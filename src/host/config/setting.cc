#include "host/config/setting.h"

#include "base/text.h"

namespace talaria::host {

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

}  // namespace talaria::host
