// Whether a command can be told, from its text alone, to leave the shell's state as it was: a
// single simple command that is no builtin with an effect, no function and no alias. Such a command
// needs no dump, and without our EXIT trap bash replaces itself with it, as a plain `bash -c` does.
// No I/O.
#pragma once

#include <string_view>

#include "shell/state.h"

namespace talaria::shell {

// False when in doubt.
bool leaves_state_alone(std::string_view command, const ShellState& state);

}  // namespace talaria::shell
