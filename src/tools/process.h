// The process tool: lists, reads and controls background processes. One object in, one out; the
// fields of each action are in docs/guide/processes.md.
#pragma once

#include <string_view>

#include "tools/tool.h"

namespace talaria::tool {

inline constexpr std::string_view kProcessDescription =
    "List, read and control processes that terminal(background=true) started. list: all of them. "
    "poll: one, with the end of its output. log: its output by lines. read: its output by byte "
    "position, or what is new since a mark of yours. wait: until it ends, or the timeout. kill: "
    "end it with everything it started. signal: send it a signal. write, submit (adds Enter) and "
    "close (end of input): only if it was started with pty or stdin. screen: what a person would "
    "see on its terminal; resize: change the size of the terminal.";

inline constexpr std::string_view kProcessSchema = R"({
  "type": "object",
  "properties": {
    "action": {
      "type": "string",
      "enum": ["list", "poll", "log", "wait", "kill", "write", "submit", "close", "read", "signal", "resize", "screen"],
      "description": "What to do."
    },
    "session_id": {
      "type": "string",
      "description": "Which process (proc_...). Every action but list needs it. read also takes the path of a file, such as persisted_path of a result that was too large."
    },
    "data": {
      "type": "string",
      "description": "write, submit: the text to type."
    },
    "timeout": {
      "type": "integer",
      "minimum": 1,
      "description": "wait: seconds; at most the configured limit (usually 180), which is also the default."
    },
    "offset": {
      "type": "integer",
      "minimum": 0,
      "description": "log: the first line to show; 0, the default, shows the last lines."
    },
    "limit": {
      "type": "integer",
      "minimum": 1,
      "description": "log: how many lines (default 200)."
    },
    "from": {
      "type": "integer",
      "minimum": 0,
      "description": "read: the position of the first byte; `next` of the answer is where to continue."
    },
    "since": {
      "type": "string",
      "description": "read, instead of from: a name of your choice; you get what came since you last read with it."
    },
    "max": {
      "type": "integer",
      "minimum": 1,
      "description": "read: bytes at most (default 65536)."
    },
    "signal": {
      "type": "string",
      "description": "signal: its name, for example INT, HUP, USR1."
    },
    "rows": {"type": "integer", "minimum": 1, "description": "resize."},
    "cols": {"type": "integer", "minimum": 1, "description": "resize."}
  },
  "required": ["action"]
})";

Task<json::object> process(ToolCall call);

}  // namespace talaria::tool
