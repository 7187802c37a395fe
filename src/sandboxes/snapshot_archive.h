// What is in a container, as an archive on this machine: its HOME and the directory its commands
// run in. Needs `tar` there.
#pragma once

#include <functional>
#include <string>

#include "base/result.h"
#include "base/task.h"
#include "environment/environment.h"

namespace talaria::sandboxes {

// Runs a command of ours there and returns what it printed.
using RunThere = std::function<Task<Result<std::string>>(std::string command)>;

// `file` is replaced in one step, and only by a whole archive.
Task<Result<void>> save_archive(environment::Environment& environment, RunThere run,
                                std::string cwd, std::string file);
Task<Result<void>> restore_archive(environment::Environment& environment, RunThere run,
                                   std::string file);

}  // namespace talaria::sandboxes
