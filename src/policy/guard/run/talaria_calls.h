// What `talaria exec`, `start` and `call` in a command would run.
#pragma once

#include <vector>

#include "policy/guard/run/inner.h"

namespace talaria::guard {

void add_talaria_commands(const SeenCommand& command, std::vector<InnerCommand>& inner);

}  // namespace talaria::guard
