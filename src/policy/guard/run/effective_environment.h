// The variables that a program goes by, wherever they were set: in front of the command, exported
// before, by an earlier command of the session, or for the call.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "policy/guard/run/seen_command.h"

namespace talaria::guard {

// Adds those that are not set in front of the command. `value_of`: what is known of a variable.
void add_environment(SeenCommand& seen,
                     const std::function<std::optional<std::string>(const std::string&)>& value_of);

}  // namespace talaria::guard
