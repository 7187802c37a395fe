// The search_files tool: lines that match, or files by their name. docs/reference/search.md says
// what is searched, docs/guide/files.md what is answered.
#pragma once

#include <string_view>

#include "tools/tool.h"

namespace talaria::tool {

inline constexpr std::string_view kSearchFilesDescription =
    "Search the content of files, or find files by name. Use this instead of grep, rg, find or "
    "ls. Files that .gitignore excludes and hidden files are skipped unless path or the glob "
    "names them. total_count of the result is the number of all results; offset gets those "
    "beyond limit.";

inline constexpr std::string_view kSearchFilesSchema = R"({
  "type": "object",
  "properties": {
    "pattern": {"type": "string", "description": "target content: a regular expression. target files: a glob such as '*.py', or a part of the name."},
    "target": {"type": "string", "enum": ["content", "files"], "description": "Lines in files (default), or files by name, newest first."},
    "path": {"type": "string", "description": "Directory or file to search. Default: the directory of the session."},
    "file_glob": {"type": "string", "description": "target content: only files with such names, as '*.py'."},
    "limit": {"type": "integer", "description": "Number of results (default 50)."},
    "offset": {"type": "integer", "description": "Results to skip (default 0)."},
    "output_mode": {"type": "string", "enum": ["content", "files_only", "count"], "description": "target content: lines with numbers (default), only file names, or the number of lines per file."},
    "context": {"type": "integer", "description": "target content: lines around each match (default 0)."}
  },
  "required": ["pattern"]
})";

Task<json::object> search_files_tool(ToolCall call);

}  // namespace talaria::tool
