// Which of the commands about processes a command line asks for.
#pragma once

#include <talaria/asio.h>

#include <optional>

#include "base/task.h"
#include "front/cli/command_line.h"
#include "front/stdio.h"

namespace talaria::front::cli {

// Nothing if it is about something else. `line` is used up.
std::optional<Task<int>> process_front(AsioRuntime& runtime, CommandLine& line, Stdio stdio);

// What it exits with when it could not do its work.
int failure_code(const CommandLine& line);

}  // namespace talaria::front::cli
