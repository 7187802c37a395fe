// A command of our own at the target of a sandbox. It does not pass policy, because no caller can
// influence it.
#pragma once

#include <string>

#include "base/result.h"
#include "base/task.h"
#include "tools/tool.h"

namespace talaria::sandboxes {

// Returns what it printed. An exit code other than 0 is an Error with the output.
Task<Result<std::string>> run_internal_command(tool::Services services, std::string sandbox,
                                               std::string command);

}  // namespace talaria::sandboxes
