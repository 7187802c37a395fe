#include <cstdint>
#include <utility>

#include <boost/json/array.hpp>

#include "base/text.h"
#include "front/cli/fronts.h"
#include "front/cli/report.h"
#include "front/stop_signals.h"
#include "json/fields.h"
#include "json/json_text.h"

namespace talaria::front::cli {
namespace {

json::object arguments_of(const StartOptions& options) {
  json::object arguments{{"command", command_text(options.arguments)}, {"background", true}};
  if (options.workdir) arguments["workdir"] = *options.workdir;
  if (options.terminal) arguments["pty"] = true;
  if (options.takes_input) arguments["stdin"] = true;
  if (!options.lifetime.empty()) arguments["lifetime"] = options.lifetime;
  if (options.max_age) arguments["max_age"] = static_cast<std::int64_t>(*options.max_age);
  if (options.notify) arguments["notify_on_complete"] = true;
  if (!options.watch_patterns.empty()) {
    arguments["watch_patterns"] =
        json::array(options.watch_patterns.begin(), options.watch_patterns.end());
  }
  return arguments;
}

// Reports notes and notices. The hint of the tool is only for models.
void report_notes(const json::object& result, const Stdio& stdio) {
  for (const char* name : {"pty_note", "watch_patterns_ignored"}) {
    if (const std::string note = text_field(result, name); !note.empty()) complain(stdio, note);
  }
  const json::array* notices = array_field(result, "notices");
  for (const json::value& notice : notices ? *notices : json::array()) {
    if (notice.is_string()) complain(stdio, notice.get_string());
  }
}

}  // namespace

Task<int> run_command(AsioRuntime& runtime, StartOptions options, Stdio stdio) {
  const Cancel cancel;
  std::optional<StopSignals> signals(std::in_place, co_await asio::this_coro::executor,
                                     [cancel](int) { cancel.cancel(); });
  const Result<json::object> result = co_await runtime.call(
      "terminal", arguments_of(options),
      CallContext{.task = options.task, .own_directory = options.task.empty()}, cancel);
  if (!result) co_return report_error(result.error(), options.json, stdio);
  signals.reset();

  const NotStarted failure = not_started(*result);
  if (options.json) {
    const int code = report_line(*result, stdio);
    co_return failure.text.empty() ? code : kFailed;
  }
  if (!failure.text.empty()) {
    complain(stdio, failure.text);
    co_return kFailed;
  }
  report_notes(*result, stdio);
  co_return report_text(std::string(result->at("session_id").as_string()) + "\n", stdio);
}

}  // namespace talaria::front::cli
