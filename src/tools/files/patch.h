// The patch tool: one text of a file for another, or a V4A patch of many files.
// docs/reference/editing.md says how texts are found, docs/guide/files.md what is answered.
#pragma once

#include <string_view>

#include "tools/tool.h"

namespace talaria::tool {

inline constexpr std::string_view kPatchDescription =
    "Change files. mode replace: old_string in the file at path becomes new_string. It must "
    "occur once, so include some lines around it, or pass replace_all. Small differences such "
    "as white space are tolerated. mode patch: a V4A patch of many files, applied as a whole or "
    "not at all: *** Begin Patch, *** Update File: a.py, @@ context @@, lines with ' ', '-' or "
    "'+', *** End Patch; also *** Add File, *** Delete File, *** Move File. The result has a "
    "unified diff and a syntax check.";

inline constexpr std::string_view kPatchSchema = R"({
  "type": "object",
  "properties": {
    "mode": {"type": "string", "enum": ["replace", "patch"], "description": "Default: replace."},
    "path": {"type": "string", "description": "replace: the file."},
    "old_string": {"type": "string", "description": "replace: the text to find."},
    "new_string": {"type": "string", "description": "replace: the new text; empty deletes it."},
    "replace_all": {"type": "boolean", "description": "replace: every occurrence."},
    "patch": {"type": "string", "description": "patch: the V4A patch."},
    "cross_profile": {"type": "boolean", "description": "Change files of another profile. Only if the user asked for that."}
  },
  "required": []
})";

Task<json::object> patch_tool(ToolCall call);

}  // namespace talaria::tool
