// The write_file tool: a file with this content and no other. docs/guide/files.md has its answers.
#pragma once

#include <string_view>

#include "tools/tool.h"

namespace talaria::tool {

inline constexpr std::string_view kWriteFileDescription =
    "Write a whole file: its content is replaced, and missing directories are created. Use this "
    "instead of echo, cat or tee; use patch to change a part. The file keeps its mode, owner "
    "and line endings. The result has a syntax check for common languages.";

inline constexpr std::string_view kWriteFileSchema = R"({
  "type": "object",
  "properties": {
    "path": {"type": "string", "description": "Absolute, ~/..., or relative to the directory of the session."},
    "content": {"type": "string", "description": "The whole new content."},
    "cross_profile": {"type": "boolean", "description": "Write a file of another profile. Only if the user asked for that."}
  },
  "required": ["path", "content"]
})";

Task<json::object> write_file_tool(ToolCall call);

}  // namespace talaria::tool
