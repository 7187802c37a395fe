// `talaria tools`: what an agent may call.
#pragma once

#include "front/cli/command_line.h"
#include "front/stdio.h"

namespace talaria::front::cli {

int tools_front(const ToolsOptions& options, const Stdio& stdio);

}  // namespace talaria::front::cli
