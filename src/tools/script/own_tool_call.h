// How a script calls a tool of its caller's own (OwnTools in talaria/call.h).
#pragma once

#include <talaria/call.h>

#include <string>
#include <vector>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include "base/cancel.h"
#include "base/task.h"
#include "tools/tool.h"

namespace talaria::tool {

// The names of those that the call may use.
std::vector<std::string> own_tool_names(const CallContext& context);

// Null unless the call has one of that name.
const OwnTool* find_own_tool(const CallContext& context, std::string_view name);

// What it answers; {"error"} if it cannot, or if the script ends first. `call`: the one that the
// script is; it outlives this one.
Task<json::value> call_own_tool(const ToolCall& call, std::string name, json::object arguments,
                                CancelToken cancel);

}  // namespace talaria::tool
