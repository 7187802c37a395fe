// What a `find` is limited to.
#pragma once

#include "policy/guard/rules/arguments.h"

namespace talaria::guard {

// Whether all that it finds is a build product or temporary: `find . -name '*.pyc'`.
bool finds_only_scratch(const Arguments& arguments);

}  // namespace talaria::guard
