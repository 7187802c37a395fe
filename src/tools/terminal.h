// The terminal tool: one shell command in the task's session, run to its end.
//   command  string, required
//   timeout  seconds, a whole number; 0 or absent: TERMINAL_TIMEOUT
//   workdir  directory for this command only
//   force    run it although advice speaks against it; for callers, not for models
// The answer is the JSON of tools/command_result.h.
#pragma once

#include "tools/tool.h"

namespace talaria {

Task<json::object> terminal(ToolCall call);

}  // namespace talaria
