// The way every tool call takes: observers see it begin and end.
#pragma once

#include "tools/tool.h"

namespace talaria {

Task<json::object> call_tool(const Tool& tool, ToolCall call);

}  // namespace talaria
