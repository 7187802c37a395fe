// The execute_code tool: a Python script at the target that calls other tools, through the module
// hermes_tools, and whose output is all a model sees of it. The answer:
//   {"status": "success" | "error" | "timeout" | "interrupted", "output", "tool_calls_made",
//    "duration_seconds", "error" if there is one}
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/tool.h"

namespace talaria::tool {

Task<json::object> execute_code(ToolCall call);

// For a model that may use these tools; absent: all.
std::string describe_execute_code(const host::Config& config,
                                  const std::optional<std::vector<std::string>>& tools);
std::string execute_code_schema(const host::Config& config,
                                const std::optional<std::vector<std::string>>& tools);

}  // namespace talaria::tool
