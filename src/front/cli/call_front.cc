#include <optional>
#include <utility>

#include "front/cli/fronts.h"
#include "front/cli/report.h"
#include "front/stop_signals.h"
#include "json/json_text.h"

namespace talaria::front::cli {
namespace {

int not_called(const Error& error, const CallOptions& options, const Stdio& stdio) {
  report_error(error, options.json, stdio);
  return error.kind() == ErrorKind::system ? kFailed : kBadUsage;
}

}  // namespace

Task<int> run_command(AsioRuntime& runtime, CallOptions options, Stdio stdio) {
  const Cancel cancel;
  std::optional<StopSignals> signals(std::in_place, co_await asio::this_coro::executor,
                                     [cancel](int) { cancel.cancel(); });
  const CallContext context{.task = options.task, .own_directory = options.task.empty()};
  const Result<json::object> result =
      co_await runtime.call_text(options.tool, options.arguments, context, cancel);
  if (!result) co_return not_called(result.error(), options, stdio);

  signals.reset();  // from here on a signal has its default effect
  if (!write_output(stdio, to_line(*result) + "\n")) co_return kFailed;
  const json::value* error = result->if_contains("error");
  co_return error && !error->is_null() ? kFailed : 0;
}

}  // namespace talaria::front::cli
