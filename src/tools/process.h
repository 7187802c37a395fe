// The process tool: lists, reads and controls background processes. One object in, one out; the
// fields of each action are in docs/guide/processes.md.
#pragma once

#include <string_view>

#include "tools/tool.h"

namespace talaria::tool {

inline constexpr std::string_view kProcessDescription =
    "Look at and control processes that terminal(background=true) started. list: all of them. "
    "poll: one, with the end of its output. log: its output by lines. read: its output by "
    "bytes. wait: until it ends or the timeout. kill: end it and everything it started. signal: "
    "send a signal. write, submit (adds Enter), close (end of input): for a process with pty or "
    "stdin. screen: what its terminal shows. resize: set rows and cols of its terminal.";

// With limits of the configuration in {braces}.
inline constexpr std::string_view kProcessSchema = R"({
  "type": "object",
  "properties": {
    "action": {"type": "string", "enum": ["list", "poll", "log", "wait", "kill", "write", "submit", "close", "read", "signal", "resize", "screen"]},
    "session_id": {"type": "string", "description": "The process (proc_...); for every action but list. read also takes the path of a result file (persisted_path)."},
    "data": {"type": "string", "description": "write, submit: the text."},
    "timeout": {"type": "integer", "description": "wait: seconds, at most {usual}, which is the default."},
    "offset": {"type": "integer", "description": "log: number of the first line. Default: the last lines."},
    "limit": {"type": "integer", "description": "log: number of lines (default 200)."},
    "from": {"type": "integer", "description": "read: the first byte (default 0). `next` of the result is where to continue."},
    "since": {"type": "string", "description": "read, instead of from: a name you choose; returns what is new since your last read by that name."},
    "max": {"type": "integer", "description": "read: bytes at most (default 65536)."},
    "signal": {"type": "string", "description": "signal: its name, such as INT."},
    "rows": {"type": "integer"},
    "cols": {"type": "integer"}
  },
  "required": ["action"]
})";

std::string process_schema(const host::Config& config,
                           const std::optional<std::vector<std::string>>& tools);

Task<json::object> process(ToolCall call);

}  // namespace talaria::tool
