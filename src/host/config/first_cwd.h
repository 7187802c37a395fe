// Where a new session starts, from what TERMINAL_CWD says. On this machine it is the caller's
// directory unless told otherwise; at a target it must be a directory of the target's, so a path
// that can only mean one of this machine is not used there.
#pragma once

#include <string>
#include <string_view>

#include "host/caller.h"

namespace talaria {

// `said` is empty if nothing was said. "~" stays as it is where only the target knows its home.
std::string first_cwd(const Caller& caller, std::string_view target, std::string_view said);

}  // namespace talaria
