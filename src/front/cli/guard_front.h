// `talaria guard explain`: what the guard makes of a command.
#pragma once

#include "front/cli/command_line.h"
#include "front/stdio.h"

namespace talaria::front::cli {

int guard_explain_front(const GuardExplainOptions& options, const Stdio& stdio);

}  // namespace talaria::front::cli
