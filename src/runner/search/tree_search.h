// The runner's own search: all files below a directory that no rule hides, by several threads.
#pragma once

#include <chrono>
#include <string>

#include "base/result.h"
#include "link/search_messages.h"
#include "runner/search/findings.h"

namespace talaria::runner {

// What a search works with, whichever engine does it.
struct SearchPlan {
  link::SearchFiles query;  // its bounds are in order
  std::string root;         // absolute, without links in it
  bool is_file = false;
  std::chrono::steady_clock::time_point until;
};

// True if it came to the end in time. An error: the pattern or a glob is not understood.
Result<bool> search_tree(const SearchPlan& plan, Findings& findings);

}  // namespace talaria::runner
