// The execute_code tool: a Python script at the target that calls other tools, through the module
// hermes_tools, and whose output is all a model sees of it. The answer:
//   {"status": "success" | "error" | "timeout" | "interrupted", "output", "tool_calls_made",
//    "duration_seconds", "error" if there is one}
#pragma once

#include <string_view>

#include "tools/tool.h"

namespace talaria {

inline constexpr std::string_view kExecuteCodeSchema = R"({
  "type": "object",
  "properties": {
    "code": {
      "type": "string",
      "description": "Python code. It imports what it calls, e.g. `from hermes_tools import terminal`, and prints what you want to see."
    }
  },
  "required": ["code"]
})";

Task<json::object> execute_code(ToolCall call);

// For a model that may use these tools; absent: all.
std::string describe_execute_code(const Config& config,
                                  const std::optional<std::vector<std::string>>& tools);

}  // namespace talaria
