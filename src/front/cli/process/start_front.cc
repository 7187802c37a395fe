#include <utility>

#include <boost/json/array.hpp>

#include "base/text.h"
#include "front/cli/exec_front.h"
#include "front/cli/process/process_fronts.h"
#include "front/cli/report.h"
#include "front/stop_signals.h"
#include "json/json_text.h"

namespace talaria::front::cli {
namespace {

json::object arguments_of(const StartOptions& options) {
  json::object arguments{{"command", command_text(options.words)}, {"background", true}};
  if (options.workdir) arguments["workdir"] = *options.workdir;
  if (options.terminal) arguments["pty"] = true;
  if (options.takes_input) arguments["stdin"] = true;
  if (!options.lifetime.empty()) arguments["lifetime"] = options.lifetime;
  if (options.max_age) arguments["max_age"] = *options.max_age;
  if (options.notify) arguments["notify_on_complete"] = true;
  if (!options.watch_patterns.empty()) {
    json::array patterns;
    for (const std::string& pattern : options.watch_patterns) patterns.emplace_back(pattern);
    arguments["watch_patterns"] = std::move(patterns);
  }
  return arguments;
}

// What a person should know beside the id. The tool's hint is for models.
void tell(const json::object& result, const Stdio& stdio) {
  for (const char* name : {"pty_note", "watch_patterns_ignored"}) {
    const json::value* note = result.if_contains(name);
    if (note && note->is_string()) complain(stdio, note->get_string());
  }
  const json::value* notices = result.if_contains("notices");
  if (!notices || !notices->is_array()) return;
  for (const json::value& notice : notices->get_array()) {
    if (notice.is_string()) complain(stdio, notice.get_string());
  }
}

}  // namespace

Task<int> start_front(AsioRuntime& runtime, StartOptions options, Stdio stdio) {
  const Cancel cancel;
  std::optional<StopSignals> signals(std::in_place, co_await asio::this_coro::executor,
                                     [cancel](int) { cancel.cancel(); });
  const Result<json::object> result = co_await runtime.call(
      "terminal", arguments_of(options), CallContext{.task = options.task}, cancel);
  if (!result) co_return report_error(result.error(), options.json, stdio);
  signals.reset();

  const json::value* error = result->if_contains("error");
  const bool failed = error && !error->is_null();
  if (options.json) {
    const int said = report_line(*result, stdio);
    co_return failed ? kFailed : said;
  }
  if (failed) {
    complain(stdio, error->is_string() ? std::string_view(error->get_string()) : "it failed");
    co_return kFailed;
  }
  tell(*result, stdio);
  co_return report_text(std::string(result->at("session_id").as_string()) + "\n", stdio);
}

}  // namespace talaria::front::cli
