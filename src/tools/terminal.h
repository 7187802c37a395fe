// The terminal tool: one shell command in the task's session, run to its end. The answer is the
// JSON of tools/command_result.h. Beyond what the schema tells models, callers may pass
//   force  true: run it although advice speaks against it
// and null, 0 or an empty text for whatever they do not want to say.
#pragma once

#include <string_view>

#include "tools/tool.h"

namespace talaria {

inline constexpr std::string_view kTerminalDescription =
    "Run a shell command (bash) on Linux and wait for its end. You get its output (stdout and "
    "stderr together) and its exit code; a code other than 0 is no error of this tool. Files stay, "
    "and so does the state of your shell: directory, exported variables, functions, aliases. Use "
    "workdir to run one command elsewhere without moving there. There is no terminal and no "
    "input: do not start editors, pagers or prompts (vim, nano, less, a REPL); pipe what may page "
    "through cat, as in `git log | cat`. What is too long is cut in the middle, and the answer "
    "names the file with all of it. At its timeout a command is killed with everything it started.";

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
      "description": "Seconds it may take. Say so if it needs more or less than the configured default (usually 180); more than the configured maximum (usually 600) is refused."
    },
    "workdir": {
      "type": "string",
      "description": "Directory for this command only, a plain path; ~ and paths relative to the session's directory work. Default: where the session is."
    }
  },
  "required": ["command"]
})";

Task<json::object> terminal(ToolCall call);

}  // namespace talaria
