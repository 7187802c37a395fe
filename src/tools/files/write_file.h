// The write_file tool: a file with this content and no other. docs/guide/files.md has its answers.
#pragma once

#include <string_view>

#include "tools/tool.h"

namespace talaria::tool {

inline constexpr std::string_view kWriteFileDescription =
    "Write a file: all of its content is replaced by what you pass, and missing directories "
    "are created. Use this and not echo, cat or tee; to change part of a file use patch. The "
    "file is replaced in one step and keeps its mode, owner and line endings. The answer has the "
    "result of a syntax check for Python, JSON, YAML, TOML, JavaScript, TypeScript, Go and Rust.";

inline constexpr std::string_view kWriteFileSchema = R"({
  "type": "object",
  "properties": {
    "path": {
      "type": "string",
      "description": "The file: absolute, relative to the session's directory, or ~/path."
    },
    "content": {
      "type": "string",
      "description": "The whole new content of the file."
    },
    "cross_profile": {
      "type": "boolean",
      "default": false,
      "description": "Write although the file belongs to another profile. Only if the user asked for that."
    }
  },
  "required": ["path", "content"]
})";

Task<json::object> write_file_tool(ToolCall call);

}  // namespace talaria::tool
