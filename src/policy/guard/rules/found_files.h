// What a search is limited to.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "policy/guard/rules/arguments.h"

namespace talaria::guard {

// Whether a path that a search has printed is a build product or temporary.
bool is_found_scratch(const Arguments& arguments, std::string_view path);

// Of `rm -rf bin obj`: what dotnet has built. A bin alone may hold anything.
bool is_bin_beside_obj(std::string_view path, const std::vector<std::string>& all);

// Whether all that it finds is a build product or temporary: `find . -name '*.pyc'`.
bool finds_only_scratch(const Arguments& arguments);

}  // namespace talaria::guard
