#include <utility>

#include "base/text.h"
#include "front/cli/attach/attachment.h"
#include "front/cli/fronts.h"
#include "front/cli/process/process_text.h"
#include "front/cli/report.h"
#include "json/fields.h"

namespace talaria::front::cli {
namespace {

constexpr const char* kByAge = "max_age";  // ProcessInfo::source of one that became too old

json::object arguments_of(const ExecOptions& options) {
  json::object arguments{{"command", command_text(options.arguments)},
                         {"background", true},
                         {"pty", true},
                         {"lifetime", lifespan_name(Lifespan::call)}};
  if (options.workdir) arguments["workdir"] = *options.workdir;
  if (options.timeout.count() > 0) {
    arguments["max_age"] = std::chrono::ceil<std::chrono::seconds>(options.timeout).count();
  }
  return arguments;
}

int report_end(const ProcessInfo& info, const ExecOptions& options, const Stdio& stdio) {
  if (info.ended != ProcessEnd::killed || info.source != kByAge) return exit_code_for(info);
  complain(stdio, "timed out after " + in_seconds(options.timeout) + "s; the command was killed");
  return kTimedOut;
}

// It was so quick that there is nothing to attach to.
Task<int> show_ended(AsioProcesses processes, ProcessInfo info, ExecOptions options, Stdio stdio) {
  const auto read = co_await processes.read(
      {.id = info.id}, [&stdio](std::string_view bytes) { write_output(stdio, bytes); });
  if (read) co_return report_end(info, options, stdio);
  complain(stdio, read.error().message());
  co_return kExecFailed;
}

}  // namespace

Task<int> run_on_terminal(AsioRuntime& runtime, ExecOptions options, Stdio stdio) {
  const bool no_task = !options.task;
  const CallContext context{.task = options.task.value_or(""), .own_directory = no_task};
  const Result<json::object> started =
      co_await runtime.call("terminal", arguments_of(options), context);
  const NotStarted failure =
      started ? not_started(*started) : NotStarted{.text = started.error().message()};
  if (!failure.text.empty()) {
    complain(stdio, failure.text);
    co_return failure.refused ? kExecRefused : kExecFailed;
  }
  const std::string id = text_field(*started, "session_id");

  AsioProcesses processes(runtime);
  const auto info = co_await processes.find(id);
  if (!info) {
    complain(stdio, info.error().message());
    co_return kExecFailed;
  }
  if (!info->running) co_return co_await show_ended(processes, *info, options, stdio);
  auto keys = DetachKeys::parse("none");
  const auto attachment = std::make_shared<Attachment>(
      co_await asio::this_coro::executor, processes, *info,
      AttachRequest{.keys = std::move(*keys), .read_only = !options.pass_stdin}, stdio);
  const Attachment::Left left = co_await attachment->run();
  if (left.ended) co_return report_end(*left.ended, options, stdio);
  const auto killed = co_await processes.kill(id);
  if (!killed) complain(stdio, killed.error().message());
  if (left.trouble) {
    complain(stdio, left.trouble->message());
    co_return kExecFailed;
  }
  co_return left.signal == 0 ? kInterrupted : 128 + left.signal;
}

}  // namespace talaria::front::cli
