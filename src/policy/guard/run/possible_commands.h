// What a program that no table knows may run: words behind `--`, and operands and values of options
// that are whole commands.
#pragma once

#include <vector>

#include "policy/guard/run/inner.h"

namespace talaria::guard {

// Only what would remove something counts: other texts may as well be data.
void add_possible_commands(const SeenCommand& command, std::vector<InnerCommand>& inner);

}  // namespace talaria::guard
