// The files of a container as an archive on this machine: its HOME and the directory in which its
// commands run. Needs `tar` in the container.
#pragma once

#include <string>

#include "base/result.h"
#include "base/task.h"
#include "tools/tool.h"

namespace talaria::sandboxes {

// `file` is replaced in one step, and only by a complete archive.
Task<Result<void>> save_archive(tool::Services services, std::string sandbox, std::string cwd,
                                std::string file);
Task<Result<void>> restore_archive(tool::Services services, std::string sandbox, std::string file);

}  // namespace talaria::sandboxes
