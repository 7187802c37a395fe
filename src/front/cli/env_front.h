// `talaria env list|show|rm` and `talaria stop`: the environments that are alive on this machine,
// whoever made them.
#pragma once

#include "base/task.h"
#include "front/cli/command_line.h"
#include "front/stdio.h"
#include "host/caller.h"

namespace talaria {

Task<int> env_list_front(const Caller& caller, EnvListOptions options, Stdio stdio);
Task<int> env_show_front(const Caller& caller, EnvShowOptions options, Stdio stdio);
// Asks first, on a terminal; elsewhere only --yes will do.
Task<int> env_remove_front(const Caller& caller, EnvRemoveOptions options, Stdio stdio);
Task<int> stop_front(const Caller& caller, StopOptions options, Stdio stdio);

}  // namespace talaria
