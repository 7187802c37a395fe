// `talaria env override`: what is different for one task, from now on.
#pragma once

#include "front/cli/command_line.h"
#include "front/stdio.h"

namespace talaria::front::cli {

int override_front(const EnvOverrideOptions& options, const Stdio& stdio);

}  // namespace talaria::front::cli
