#include "tools/call_tool.h"

#include <utility>

namespace talaria {

Task<json::object> call_tool(const Tool& tool, ToolCall call) {
  const Hooks& hooks = call.host.hooks();
  if (hooks.observers.empty()) co_return co_await tool.run(std::move(call));
  const std::string task = call.task;
  const json::object arguments = call.arguments;
  hooks.observe({.tool = tool.name, .task = task, .arguments = arguments});
  json::object result = co_await tool.run(std::move(call));
  hooks.observe({.tool = tool.name, .task = task, .arguments = arguments, .result = &result});
  co_return result;
}

}  // namespace talaria
