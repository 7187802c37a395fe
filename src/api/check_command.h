// What no target could run, said before anything is started.
#pragma once

#include <talaria/call.h>
#include <talaria/command.h>

#include "base/result.h"

namespace talaria {

Result<void> check_command(const Command& command);
Result<void> check_context(const CallContext& context);

}  // namespace talaria
