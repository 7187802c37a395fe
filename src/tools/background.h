// terminal(background=true): starts a process and answers at once:
//   {"output":"Background process started","session_id","pid","exit_code":0,"error":null,
//    "target","transport","duration_ms", ...}
// and, where there is something to say, pty_note, hint, notify_on_complete, watch_patterns,
// watch_patterns_ignored, check_interval_note, notices.
#pragma once

#include "tools/terminal_request.h"
#include "tools/tool.h"

namespace talaria::tool {

Task<json::object> start_in_background(const ToolCall& call, environment::CommandSpec spec,
                                       BackgroundRequest request, host::ConfigPtr config);

}  // namespace talaria::tool
