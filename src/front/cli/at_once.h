// The commands that answer by themselves, without running anything for anybody.
#pragma once

#include <optional>

#include "front/cli/command_line.h"
#include "front/stdio.h"

namespace talaria::front::cli {

// The exit code; nothing for those that need a runtime.
std::optional<int> answer_at_once(const CommandLine& line, const Stdio& stdio);

}  // namespace talaria::front::cli
