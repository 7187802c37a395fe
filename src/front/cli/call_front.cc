#include "front/cli/call_front.h"

#include <optional>
#include <utility>

#include "base/cancel.h"
#include "front/json_text.h"
#include "front/stop_signals.h"
#include "tools/call_tool.h"
#include "tools/tool_table.h"

namespace talaria {

Task<int> call_front(Host& host, CallOptions options, Stdio stdio) {
  const Tool* tool = find_tool(options.tool);
  if (!tool) {
    complain(stdio, "no tool '" + options.tool + "'; there is: " + tool_names());
    co_return kBadUsage;
  }
  ParsedJson parsed = parse_json(options.arguments);
  if (!parsed.value || !parsed.value->is_object()) {
    complain(stdio,
             "the arguments of a tool are a JSON object, for example '{\"command\":\"ls\"}': " +
                 (parsed.value ? "this is something else" : parsed.value.error().message()));
    co_return kBadUsage;
  }

  CancelToken cancel;
  std::optional<StopSignals> signals(std::in_place, co_await asio::this_coro::executor,
                                     [cancel](int) mutable { cancel.cancel(); });
  ToolCall call{.host = host, .arguments = std::move(parsed.value->get_object()), .cancel = cancel};
  if (!options.task.empty()) call.task = options.task;
  const json::object result = co_await call_tool(*tool, std::move(call));

  signals.reset();  // from here on one ends us as it would anybody
  if (!write_fully(stdio.out, to_line(result) + "\n")) co_return kCallFailed;
  const json::value* error = result.if_contains("error");
  co_return error && !error->is_null() ? kCallFailed : 0;
}

}  // namespace talaria
