// The way every tool call takes: observers see it begin and end, secrets in what it tells are
// masked, and a result that is too large for a model is put aside.
#pragma once

#include "tools/tool.h"

namespace talaria::tool {

Task<json::object> call_tool(const Tool& tool, ToolCall call);

}  // namespace talaria::tool
