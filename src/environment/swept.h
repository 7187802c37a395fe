// Swept: something at a target that nobody needs any more, and what became of it.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "base/result.h"

namespace talaria::environment {

struct Swept {
  std::string what;            // "container hermes-1a2b3c4d"
  std::string why;             // "it ended 3 h ago"
  bool removed = false;        // false: it was only looked for, or there is an error
  std::optional<Error> error;  // why it could not be removed
};

// "5 s ago", "3 min ago", "7 h ago".
inline std::string ago(std::chrono::seconds age) {
  const auto count = age.count();
  if (count < 120) return std::to_string(count) + " s ago";
  if (count < 7200) return std::to_string(count / 60) + " min ago";
  return std::to_string(count / 3600) + " h ago";
}

}  // namespace talaria::environment
