// run_as(): has a command run as another user of its target.
#pragma once

#include <string>

#include "base/result.h"
#include "base/task.h"
#include "environment/command.h"
#include "tools/tool.h"

namespace talaria::tool {

// `user`: a name, or a number. What `spec` runs is then started by a program of the target that
// changes the user, and HOME, USER and LOGNAME are those of that user. It does not change its
// session. An Error says why the target does not let us. What both refer to outlives the call.
Task<Result<void>> run_as(const ToolCall& call, const std::string& user,
                          environment::CommandSpec& spec);

}  // namespace talaria::tool
