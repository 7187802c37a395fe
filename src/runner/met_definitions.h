// What the words of a command mean in a session, before it starts.
#pragma once

#include <string>
#include <vector>

#include "link/messages.h"
#include "runner/shell/shell_launch.h"
#include "shell/definitions.h"

namespace talaria {

// `inherited`: functions that come with the caller's environment, which the session's own hide.
SessionDefinitions met_by(const std::vector<std::string>& words, const SessionState& session,
                          const NameMap& inherited, ShellKind shell);

// The functions among "NAME=value" strings, added to `to`.
void add_inherited_functions(const std::vector<std::string>& environment, NameMap& to);
void add_inherited_functions(const NameMap& environment, NameMap& to);

Unjudged to_link(SessionDefinitions definitions);

}  // namespace talaria
