// Whether the text of a command shows that it leaves the state of the shell as it was: it is a
// single simple command that is not a builtin with an effect, a function or an alias. Such a
// command needs no dump, and without our EXIT trap bash replaces itself with it, as a plain `bash
// -c` does. No I/O.
#pragma once

#include <string_view>

#include "shell/state.h"

namespace talaria::shell {

// False when in doubt.
bool leaves_state_alone(std::string_view command, const ShellState& state);

}  // namespace talaria::shell
