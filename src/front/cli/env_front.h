// `talaria env list|show|rm` and `talaria stop`: the environments that are alive on this machine,
// whoever made them.
#pragma once

#include "front/cli/command_line.h"
#include "front/stdio.h"

namespace talaria::front::cli {

int env_list_front(const EnvListOptions& options, const Stdio& stdio);
int env_show_front(const EnvShowOptions& options, const Stdio& stdio);
// Asks first, on a terminal; elsewhere only --yes will do.
int env_remove_front(const EnvRemoveOptions& options, const Stdio& stdio);
int stop_front(const StopOptions& options, const Stdio& stdio);

}  // namespace talaria::front::cli
