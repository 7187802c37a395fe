// terminal(background=true): starts a process and answers at once:
//   {"output":"Background process started","session_id","pid","exit_code":0,"error":null,
//    "target","transport","duration_ms", ...}
// and, where there is something to say, pty_note, hint, notify_on_complete, watch_patterns,
// watch_patterns_ignored, check_interval_note, notices.
#pragma once

#include "environment/process_spec.h"
#include "tools/terminal_request.h"
#include "tools/tool.h"

namespace talaria::tool {

// What the call asks for, within the limits of the configuration.
environment::ProcessSpec wanted_process(const ToolCall& call, const BackgroundRequest& request,
                                        const host::Config& config);

Task<json::object> start_in_background(const ToolCall& call, environment::CommandSpec spec,
                                       BackgroundRequest request, host::ConfigPtr config);

}  // namespace talaria::tool
