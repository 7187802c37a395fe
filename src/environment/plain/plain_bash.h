// The scripts for bash at a target without a runner. The command is the real `bash -c` argument, as
// it is at a runner (docs/internals/shell.md); BASH_ENV has bash read the prelude first, and an
// EXIT trap of shell/script.h dumps what there is at the end. A second bash, in which nothing of
// the user's is defined, then keeps what the command changed.
//
// A session is a file of lines `__talaria_put KIND NAME CHANGE`: the prelude applies them, the
// keeper reads them. KIND is v(ariable), f(unction), a(lias), o(ption), u(mask) or d(irectory),
// CHANGE is "-" (gone) or "+" and the value.
#pragma once

#include <string>

#include "environment/command.h"

namespace talaria::environment::plain {

// Read with the run's directory as the working directory, by the name `bash`: bash shows it in the
// errors of functions. Leaves there: pid, base (what there was before the session's own), at (the
// session's directory and the command's, each with a NUL), notice.
std::string plain_bash_prelude(const CommandSpec& spec, const std::string& id);

// A script with two arguments, the run's directory and the session's file (empty: there is none).
// Reads base, at, session (the file as it was when the command began) and dump there, and leaves
// status, cwd and, for a session, state: the file as it shall be, with "# ID" as its last line.
// Fails if something was cut; a shell that left no dump at all has nothing to keep.
std::string plain_bash_keeper(const std::string& id);

}  // namespace talaria::environment::plain
