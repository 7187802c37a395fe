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
    "Read a text file, a page of lines at a time. Each line comes as NUMBER|TEXT; the number and "
    "the bar are not part of the file. Use this and not cat, head or tail. For a large file pass "
    "offset and limit; the answer has total_lines, and hint says where to continue. If there is no "
    "such file, similar names are suggested. Jupyter notebooks come as the text of their cells. "
    "Images and other binary files cannot be read. Secrets in what you see are masked: never write "
    "masked text back.";

inline constexpr std::string_view kReadFileSchema = R"({
  "type": "object",
  "properties": {
    "path": {
      "type": "string",
      "description": "The file: absolute, relative to the session's directory, or ~/path."
    },
    "offset": {
      "type": "integer",
      "minimum": 1,
      "default": 1,
      "description": "The first line to read; the first line is 1."
    },
    "limit": {
      "type": "integer",
      "minimum": 1,
      "maximum": 2000,
      "default": 500,
      "description": "How many lines to read at most."
    }
  },
  "required": ["path"]
})";

Task<json::object> read_file_tool(ToolCall call);

}  // namespace talaria::tool
