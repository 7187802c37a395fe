// The texts that a POSIX sh gets at a target without bash: the same as shell/script.h for bash, as
// far as sh can do it.
//
// sh has no file it reads first, so the -c argument begins with a line of ours that waits for the
// go text and reads it; the command follows behind it. There are no warm shells, because
// starting one sh per command costs little.
//
// Kept between commands are exported variables, aliases, options, umask and directory. sh cannot
// print its functions, so they are not kept; and a command that sets an EXIT trap of its own keeps
// nothing, since there is only the one.
#pragma once

#include <string>
#include <string_view>

#include "shell/login.h"
#include "shell/script.h"
#include "shell/state.h"

namespace talaria::shell {

// The -c argument of an sh that starts for `command`.
std::string sh_argument(std::string_view command);

// Brings an sh that was started with `from` as its environment to `to`. Its dump is one that
// parse_dump() reads.
std::string sh_go_text(const ShellState& from, const ShellState& to, const Dispatch& dispatch);

// /etc/profile, ~/.profile and `more_files`, each once. There is no trace of them.
std::string sh_login_text(const LoginPlan& plan, std::string_view nonce);

}  // namespace talaria::shell
