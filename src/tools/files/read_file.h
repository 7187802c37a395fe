// The read_file tool: a window of a file's lines, numbered. docs/guide/files.md has its answers.
#pragma once

#include <string_view>

#include "tools/tool.h"

namespace talaria::tool {

// What a model gets in place of content it has already. write_file knows it, and refuses to write
// it into a file.
inline constexpr std::string_view kUnchangedText =
    "File unchanged since last read. The content from the earlier read_file result in this "
    "conversation is still current — refer to that instead of re-reading.";

inline constexpr std::string_view kReadFileDescription =
    "Read a text file by lines. Use this instead of cat, head or tail. Lines come as "
    "NUMBER|TEXT; the number and the bar are not part of the file. The result has total_lines, "
    "and hint says where to continue. Notebooks come as the text of their cells; images and "
    "other binary files cannot be read. Secrets are masked: never write masked text back.";

inline constexpr std::string_view kReadFileSchema = R"({
  "type": "object",
  "properties": {
    "path": {"type": "string", "description": "Absolute, ~/..., or relative to the directory of the session."},
    "offset": {"type": "integer", "description": "The first line (default 1)."},
    "limit": {"type": "integer", "description": "Number of lines, at most 2000 (default 500)."},
    "refresh": {"type": "boolean", "description": "Return lines that you have read before and that have not changed, for example after your context was shortened."}
  },
  "required": ["path"]
})";

Task<json::object> read_file_tool(ToolCall call);

}  // namespace talaria::tool
