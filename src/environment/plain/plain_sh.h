// The scripts for sh at a target without a runner and without bash. It can print its exported
// variables, aliases, umask, directory and options, so those are kept (of the options -a, -f and
// -C, as everywhere); functions it cannot print. A session is a text for `.`.
#pragma once

#include <string>
#include <string_view>

#include "environment/command.h"

namespace talaria::environment::plain {

// The -c argument: it has the run's directory as $1, and as $2 what stands for it between single
// quotes. It reads the prelude (the file `sh` there), then the command.
std::string_view plain_sh_start();

// Leaves in the run's directory: base (what there was before the session's own), keep and start
// (the session's directory and the command's), begun (those three are whole), notice; when the
// shell ends, cwd, status, old, options, umask, list (of aliases), exports, whole (so are those).
std::string plain_sh_prelude(const CommandSpec& spec, const std::string& id);

// Lines of a function of the script around it, which knows the run's directory as $t and its id as
// $id: they make the session's file, `state`, of those, with "# ID" as its last line, or fail.
std::string plain_sh_keeper();

}  // namespace talaria::environment::plain
