// The terminal tool: one shell command in the task's session, run to its end or started in the
// background. The answer is the JSON of tools/command_result.h, for one in the background that of
// tools/background.h. Arguments that are not in the schema:
//   force           true: run it even if it should run in the background
//   check_interval  of older clients; has no effect
//   yield_ms        how long to wait. A command that takes longer continues in the background, and
//                   is killed at its timeout only if the call has one. 0: wait until the timeout
// null, 0 and an empty text mean that an argument is absent.
#pragma once

#include <string_view>

#include "tools/tool.h"

namespace talaria::tool {

inline constexpr std::string_view kTerminalDescription =
    "Run a bash command and wait until it ends; you get its output (stdout and stderr together) "
    "and exit code. Files and the state of the shell persist between calls: directory, exported "
    "variables, functions, aliases. For servers, watchers and long work pass background=true "
    "and use the process tool. A command you wait for has no terminal and no input: start "
    "editors, REPLs and prompts with background=true and pty=true, and pipe pagers through cat "
    "(`git log | cat`). Long output is cut in the middle; the result names the file that has "
    "all of it.";

// With limits of the configuration in {braces}.
inline constexpr std::string_view kTerminalSchema = R"({
  "type": "object",
  "properties": {
    "command": {"type": "string", "description": "Shell text."},
    "timeout": {"type": "integer", "description": "Seconds, from 1 to {most} (default {usual}). Then the command and everything it started are killed."},
    "workdir": {"type": "string", "description": "Directory for this command only. Default: the directory of the session."},
    "on_timeout": {"type": "string", "enum": ["kill", "background"], "description": "background: at the timeout it keeps running, as a process with a session_id. Default: kill."},
    "background": {"type": "boolean", "description": "Start it and return at once with its session_id."},
    "notify_on_complete": {"type": "boolean", "description": "With background: you are notified once when it has ended."},
    "watch_patterns": {"type": "array", "items": {"type": "string"}, "description": "With background: you are notified of output lines that contain one of these texts, such as 'Listening on'. Not together with notify_on_complete."},
    "pty": {"type": "boolean", "description": "With background: give it a terminal of 30 rows and 120 columns. Type with process submit, look with process screen."},
    "stdin": {"type": "boolean", "description": "With background: keep its input open for process write."},
    "lifetime": {"type": "string", "enum": ["call", "session", "keep"], "description": "With background: when to end it. call: when the agent disconnects. session (default): with this task. keep: never."},
    "max_age": {"type": "integer", "description": "With background: seconds until it is killed. 0: never."}
  },
  "required": ["command"]
})";

std::string terminal_schema(const host::Config& config,
                            const std::optional<std::vector<std::string>>& tools);

Task<json::object> terminal(ToolCall call);

}  // namespace talaria::tool
