// The patch tool: one text of a file for another, or a V4A patch of many files.
// docs/reference/editing.md says how texts are found, docs/guide/files.md what is answered.
#pragma once

#include <string_view>

#include "tools/tool.h"

namespace talaria::tool {

inline constexpr std::string_view kPatchDescription =
    "Change files. mode='replace' (default): old_string in the file at path becomes new_string. It "
    "must occur once, so give some lines around it, or pass replace_all. White space and other "
    "small differences in old_string are tolerated. mode='patch': many files at once in the V4A "
    "format (*** Begin Patch, *** Update File: a.py, @@ context @@, lines with ' ', '-' or '+', "
    "*** End Patch; also Add File, Delete File, Move File); all of it is applied, or nothing. The "
    "answer has a unified diff and the result of a syntax check.";

inline constexpr std::string_view kPatchSchema = R"({
  "type": "object",
  "properties": {
    "mode": {
      "type": "string",
      "enum": ["replace", "patch"],
      "default": "replace",
      "description": "Replace a text in one file, or apply a V4A patch."
    },
    "path": {
      "type": "string",
      "description": "With replace: the file."
    },
    "old_string": {
      "type": "string",
      "description": "With replace: the text to find."
    },
    "new_string": {
      "type": "string",
      "description": "With replace: what takes its place; empty to delete it."
    },
    "replace_all": {
      "type": "boolean",
      "default": false,
      "description": "With replace: every place where it occurs."
    },
    "patch": {
      "type": "string",
      "description": "With patch: the V4A patch."
    },
    "cross_profile": {
      "type": "boolean",
      "default": false,
      "description": "Change files that belong to another profile. Only if the user asked for that."
    }
  },
  "required": []
})";

Task<json::object> patch_tool(ToolCall call);

}  // namespace talaria::tool
