// `talaria version`: what this program is and what it carries.
#pragma once

#include "front/cli/command_line.h"
#include "front/stdio.h"

namespace talaria::front::cli {

int version_front(const VersionOptions& options, const Stdio& stdio);

}  // namespace talaria::front::cli
