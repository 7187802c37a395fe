// The steps of every tool call: observers see it begin and end, secrets in its result are masked,
// and a result that is too large for a model is stored in a file.
#pragma once

#include "tools/tool.h"

namespace talaria::tool {

Task<json::object> call_tool(const Tool& tool, ToolCall call);

}  // namespace talaria::tool
