#include "tools/call_tool.h"

#include <string>
#include <utility>

#include "host/hooks.h"
#include "json/json_text.h"
#include "tools/files/file_memory.h"
#include "tools/masked_result.h"
#include "tools/results/budgeted_result.h"
#include "tools/tool_table.h"

namespace talaria::tool {

namespace {

Task<json::object> run_and_bound(const Tool& tool, ToolCall call) {
  if (const std::string flaw = argument_flaw(tool, call.arguments); !flaw.empty()) {
    co_return json::object{{"error", flaw}};
  }
  // What a model does in between ends a row of the same reads and searches.
  const bool looks = tool.name == "read_file" || tool.name == "search_files";
  if (call.files != nullptr && !call.from_script && !looks) call.files->other_tool(call.task());
  const Result<host::Config>& config = call.services.settings.config();
  const bool mask = !config || config->redact_secrets;
  const bool by_model = !call.from_script;
  AnsweredCall about = answered(tool, call);
  json::object result = co_await tool.run(std::move(call));
  if (mask) mask_result(result);
  if (!by_model) co_return result;
  co_return co_await budgeted_result(tool, std::move(about), std::move(result));
}

}  // namespace

Task<json::object> call_tool(const Tool& tool, ToolCall call) {
  const Hooks& hooks = call.services.people.hooks;
  if (hooks.observers.empty()) co_return co_await run_and_bound(tool, std::move(call));
  const std::string task = call.task();
  const std::string arguments = to_line(call.arguments);
  host::observe(hooks, {.tool = tool.name, .task = task, .arguments = arguments});
  json::object result = co_await run_and_bound(tool, std::move(call));
  const std::string answer = to_line(result);
  host::observe(hooks, {.tool = tool.name, .task = task, .arguments = arguments, .result = answer});
  co_return result;
}

}  // namespace talaria::tool
