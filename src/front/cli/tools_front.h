// `talaria tools`: what an agent may call.
#pragma once

#include "front/cli/command_line.h"
#include "front/stdio.h"
#include "host/caller.h"

namespace talaria {

int tools_front(const Caller& caller, const ToolsOptions& options, const Stdio& stdio);

}  // namespace talaria
