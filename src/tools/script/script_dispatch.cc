#include "tools/script/script_dispatch.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"
#include "json/json_text.h"
#include "tools/call_tool.h"
#include "tools/script/own_tool_call.h"
#include "tools/tool_table.h"

namespace talaria::tool {
namespace {

constexpr std::size_t kMostAtOnce = 64;
// A script waits for its commands; all else about them is not for it to say.
constexpr auto kOfTerminal = std::to_array<std::string_view>({"command", "timeout", "workdir"});

json::value error(std::string message) { return json::object{{"error", std::move(message)}}; }

json::object allowed_arguments(std::string_view tool, json::object arguments) {
  if (tool != "terminal") return arguments;
  json::object allowed;
  for (const std::string_view name : kOfTerminal) {
    if (const json::value* value = arguments.if_contains(name)) allowed[name] = *value;
  }
  return allowed;
}

}  // namespace

ScriptDispatch::ScriptDispatch(ToolCall call, std::vector<std::string> tools,
                               std::size_t most_calls)
    : call_(std::move(call)),
      tools_(std::move(tools)),
      most_calls_(most_calls),
      gate_(std::make_shared<Gate>(kMostAtOnce)) {
  call_.arguments.clear();
  std::ranges::sort(tools_);
}

Task<std::string> ScriptDispatch::answer(std::string line, CancelToken cancel) {
  if (trim(line).empty()) co_return "";
  auto request = parse_object(line, "the request");
  if (!request) {
    co_return to_line(error("Invalid RPC request: " + request.error().message())) + "\n";
  }
  const json::value* found = request->if_contains("id");
  const json::value id = found ? *found : json::value();
  json::value result = co_await call_one(std::move(*request), std::move(cancel));
  if (id.is_null()) co_return to_line(result) + "\n";
  co_return to_line(json::object{{"id", id}, {"result", std::move(result)}}) + "\n";
}

std::string ScriptDispatch::not_allowed(std::string_view tool) const {
  std::string names;
  for (const std::string& name : tools_) names += (names.empty() ? "" : ", ") + name;
  return "Tool '" + std::string(tool) + "' is not available in execute_code. Available: " + names;
}

Task<json::value> ScriptDispatch::call_one(json::object request, CancelToken cancel) {
  const json::value* named = request.if_contains("tool");
  const std::string name = named && named->is_string() ? std::string(named->get_string()) : "";
  const json::value* given = request.if_contains("args");
  if (given && !given->is_object() && !given->is_null()) {
    co_return error("Invalid RPC request: args is not an object");
  }
  const bool own = find_own_tool(call_.context, name) != nullptr;
  const Tool* tool = own ? nullptr : find_tool(name);
  if ((!tool && !own) || std::ranges::find(tools_, name) == tools_.end())
    co_return error(not_allowed(name));
  if (made_ >= most_calls_) {
    co_return error("Tool call limit reached (" + std::to_string(most_calls_) +
                    "). No more tool calls allowed in this execution.");
  }
  ++made_;
  const auto pass = co_await Gate::enter(gate_);
  if (cancel.cancelled()) co_return error("The script has ended.");
  if (own) {
    co_return co_await call_own_tool(
        call_, name, given && given->is_object() ? given->get_object() : json::object(), cancel);
  }
  CallContext context{.task = call_.context.task,
                      .session_key = call_.context.session_key,
                      .tools = tools_,
                      .id = call_.context.id,
                      .variables = call_.context.variables};
  ToolCall call = begin_call(call_.services, std::move(context), cancel);
  call.arguments =
      allowed_arguments(name, given && given->is_object() ? given->get_object() : json::object());
  call.files = call_.files;
  call.from_script = true;
  json::object result = co_await call_tool(*tool, std::move(call));
  note_pending(result);
  co_return result;
}

// A script may look only at the output: the caller gets to know of it as well.
void ScriptDispatch::note_pending(json::object& result) {
  const json::value* const how = result.if_contains("approve_with");
  if (how == nullptr || !how->is_string()) return;
  const json::value* const what = result.if_contains("description");
  const std::string text = (what && what->is_string() ? std::string(what->get_string()) : "") +
                           ": waits for approval. To run it once: '" +
                           std::string(how->get_string()) + "', then call it again.";
  json::value& error = result["error"];
  if (!error.is_string() || error.get_string().empty()) error = text;
  if (std::ranges::find(pending_, text) == pending_.end()) pending_.push_back(text);
}

}  // namespace talaria::tool
