// The search_files tool: lines that match, or files by their name. docs/reference/search.md says
// what is searched, docs/guide/files.md what is answered.
#pragma once

#include <string_view>

#include "tools/tool.h"

namespace talaria::tool {

inline constexpr std::string_view kSearchFilesDescription =
    "Search the content of files, or find files by name. Use this and not grep, rg, find or ls. "
    "target='content' takes a regular expression and gives lines with their numbers "
    "(output_mode='files_only' or 'count' for less; context for the lines around). target='files' "
    "takes a glob such as '*.py' and gives files, newest first. Hidden files and files that "
    ".gitignore excludes are skipped unless path or glob names them. Use offset to get results "
    "beyond limit; total_count is the number of all results.";

inline constexpr std::string_view kSearchFilesSchema = R"({
  "type": "object",
  "properties": {
    "pattern": {
      "type": "string",
      "description": "A regular expression (target content), or a glob for names (target files)."
    },
    "target": {
      "type": "string",
      "enum": ["content", "files"],
      "default": "content",
      "description": "What to search: the content of files, or their names."
    },
    "path": {
      "type": "string",
      "default": ".",
      "description": "The directory or file to search; relative to the session's directory."
    },
    "file_glob": {
      "type": "string",
      "description": "With target content: only in files with such names, for example '*.py'."
    },
    "limit": {
      "type": "integer",
      "minimum": 1,
      "default": 50,
      "description": "Maximum number of results."
    },
    "offset": {
      "type": "integer",
      "minimum": 0,
      "default": 0,
      "description": "Number of results to skip."
    },
    "output_mode": {
      "type": "string",
      "enum": ["content", "files_only", "count"],
      "default": "content",
      "description": "With target content: lines, only the names of files, or how many lines in each."
    },
    "context": {
      "type": "integer",
      "minimum": 0,
      "default": 0,
      "description": "Number of lines to show before and after each match."
    }
  },
  "required": ["pattern"]
})";

Task<json::object> search_files_tool(ToolCall call);

}  // namespace talaria::tool
