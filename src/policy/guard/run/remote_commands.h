// Commands that run others on many machines, or on one that is not this.
#pragma once

#include <string_view>
#include <vector>

#include "policy/guard/run/inner.h"

namespace talaria::guard {

bool runs_remotely(std::string_view program);

void add_remote_commands(const SeenCommand& command, std::vector<InnerCommand>& inner);

}  // namespace talaria::guard
