// `talaria version`: what this program is and what it carries.
#pragma once

#include "front/cli/command_line.h"
#include "front/stdio.h"
#include "host/caller.h"

namespace talaria {

int version_front(const Caller& caller, const VersionOptions& options, const Stdio& stdio);

}  // namespace talaria
