// `talaria env override`: what is different for one task, from now on.
#pragma once

#include "front/cli/command_line.h"
#include "front/stdio.h"
#include "host/caller.h"

namespace talaria {

int override_front(const Caller& caller, const EnvOverrideOptions& options, const Stdio& stdio);

}  // namespace talaria
