// The paths that a command names in any of its words, whatever the program does with them.
#pragma once

#include <functional>

#include "policy/guard/rules/arguments.h"

namespace talaria::guard {

using PathTest = std::function<bool(const SeenWord& path)>;

// Operands and values: F, -o F, -oF, --x=F, x=F, @F, file://F, F:other. A relative one is below the
// home if nobody knows where it is. Words that look like no file count if they all are.
bool names_path(const Arguments& arguments, const PathTest& test, bool all_files = false);

// Those in the scripts of a program that follows some: words of it, or its input.
bool script_names_path(const Arguments& arguments, const PathTest& test);

// The target of a redirection.
bool redirect_names(const Arguments& arguments, bool writes, const PathTest& test);

}  // namespace talaria::guard
