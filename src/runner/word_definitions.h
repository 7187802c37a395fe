// What the words of a command mean in a session, before the command starts.
#pragma once

#include <string>
#include <vector>

#include "link/messages.h"
#include "runner/shell/shell_launch.h"
#include "shell/definitions.h"

namespace talaria::runner {

// `inherited`: functions that come with the caller's environment, which those of the session hide.
shell::SessionDefinitions definitions_of(const std::vector<std::string>& words,
                                         const shell::SessionState& session,
                                         const shell::NameMap& inherited, ShellKind shell);

// The functions among "NAME=value" strings, added to `to`.
void add_inherited_functions(const std::vector<std::string>& environment, shell::NameMap& to);
void add_inherited_functions(const shell::NameMap& environment, shell::NameMap& to);

link::Unjudged to_link(shell::SessionDefinitions definitions);

}  // namespace talaria::runner
