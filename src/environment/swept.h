// Sweeping: removing what was made at a target and is no longer needed. Each backend that makes
// something has a function that takes a SweepSpec and returns a Swept for each thing.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "base/result.h"

namespace talaria::environment {

struct SweepSpec {
  std::string target = {};  // as in EnvironmentSpec, here and below
  std::string home = {};
  std::string home_mark = {};  // see home_mark.h
  std::string sandbox_dir = {};
  std::string profile = "default";
  std::chrono::seconds lifetime{300};  // after that an environment of a program that is gone ends
  std::chrono::seconds max_age{600};   // since the last use
  bool running = false;  // also what runs and is meant to be found again, if it is not in use
  bool dry_run = false;  // only look
};

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
