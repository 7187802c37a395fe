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
    "Run a shell command (bash) on Linux and wait until it ends. With background=true, start it "
    "and return (servers, watchers, long builds); then use the process tool. You get its output "
    "(stdout and stderr together) and its exit code; a code other than 0 is not an error of this "
    "tool. Files persist, and so does the state of your shell: directory, exported variables, "
    "functions, aliases. Use workdir to run one command elsewhere without moving there. While you "
    "wait there is no terminal and no input: start editors, pagers and prompts (vim, less, a REPL) "
    "with background=true and pty=true; pipe output that may be paged through cat, as in `git log "
    "| cat`. Output that is too long is cut in the middle, and the answer names the file with all "
    "of it. At its timeout a command is killed with everything it started, or continues in the "
    "background if on_timeout is background.";

inline constexpr std::string_view kTerminalSchema = R"({
  "type": "object",
  "properties": {
    "command": {
      "type": "string",
      "description": "The shell text to run."
    },
    "timeout": {
      "type": "integer",
      "minimum": 1,
      "description": "Timeout in seconds. Default: as configured (usually 180). More than the configured maximum (usually 600) is refused."
    },
    "workdir": {
      "type": "string",
      "description": "Directory for this command only, a plain path; ~ and paths relative to the session's directory work. Default: the session's directory."
    },
    "on_timeout": {
      "type": "string",
      "enum": ["kill", "background"],
      "description": "What happens at the timeout. background: it keeps running, and the answer has the session_id by which the process tool finds it. Default: kill."
    },
    "background": {
      "type": "boolean",
      "description": "Start it and return at once with its session_id."
    },
    "notify_on_complete": {
      "type": "boolean",
      "description": "With background: you are notified once when it has ended. For work that ends by itself."
    },
    "watch_patterns": {
      "type": "array",
      "items": {"type": "string"},
      "description": "With background: you are notified when it prints a line that contains one of these texts. For a rare line of a process that does not end, such as 'Listening on'. Not together with notify_on_complete."
    },
    "pty": {
      "type": "boolean",
      "description": "With background: give it a terminal (30 rows, 120 columns), for programs that require one. Type with process write and submit, look with process screen."
    },
    "stdin": {
      "type": "boolean",
      "description": "With background: open an input for process write, without a terminal. Default: no input."
    },
    "lifetime": {
      "type": "string",
      "enum": ["call", "session", "keep"],
      "description": "With background: when it is ended at the latest. call: soon after the agent has ended. session (default): when the processes of this task are ended, or at its maximum age. keep: never by itself."
    },
    "max_age": {
      "type": "integer",
      "minimum": 0,
      "description": "With background: seconds after which it is killed; 0: never."
    }
  },
  "required": ["command"]
})";

Task<json::object> terminal(ToolCall call);

}  // namespace talaria::tool
