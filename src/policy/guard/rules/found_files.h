// What a search is limited to.
#pragma once

#include "policy/guard/rules/arguments.h"

namespace talaria::guard {

// Whether a path that a search has printed is a build product or temporary.
bool is_found_scratch(const Arguments& arguments, std::string_view path);

// Whether all that it finds is a build product or temporary: `find . -name '*.pyc'`.
bool finds_only_scratch(const Arguments& arguments);

}  // namespace talaria::guard
