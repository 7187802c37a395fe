// ripgrep at this target: finding it, and searching with it.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "runner/search/findings.h"
#include "runner/search/tree_search.h"

namespace talaria::runner {

struct Ripgrep {
  std::string path;
  std::string version;
};

// Nothing if there is none, or one that is too old for us. `known`, if that is still the one, is
// not asked for its version again.
std::optional<Ripgrep> find_ripgrep(const Ripgrep& known);

// Like search_tree().
Result<bool> search_with(const Ripgrep& ripgrep, const SearchPlan& plan, Findings& findings);

}  // namespace talaria::runner
