#include <utility>

#include "front/cli/attach/attachment.h"
#include "front/cli/fronts.h"
#include "front/cli/process/process_text.h"

namespace talaria::front::cli {
namespace {

// Why it is impossible to attach; empty: it is possible.
std::string attach_obstacle(const ProcessInfo& info, bool read_only) {
  if (!info.running) {
    return info.id + " " + end_text(info) + "; talaria logs " + info.id + " shows its output";
  }
  if (!read_only && !info.takes_input) {
    return info.id +
           " takes no input: it was started without --pty or --stdin. Use --read-only to watch "
           "it";
  }
  return "";
}

}  // namespace

Task<int> run_command(AsioRuntime& runtime, AttachOptions options, Stdio stdio) {
  auto keys = DetachKeys::parse(options.detach_keys);
  if (!keys) {
    complain(stdio, keys.error().message());
    co_return kExecFailed;
  }
  AsioProcesses processes(runtime);
  const auto id = processes.full_id(options.id);
  if (!id) {
    complain(stdio, id.error().message());
    co_return kExecFailed;
  }
  options.id = *id;
  const auto info = co_await processes.find(options.id);
  const std::string refusal =
      info ? attach_obstacle(*info, options.read_only) : with_advice(info.error()).message();
  if (!refusal.empty()) {
    complain(stdio, refusal);
    co_return kExecFailed;
  }

  const auto attachment = std::make_shared<Attachment>(
      co_await asio::this_coro::executor, processes, *info,
      AttachRequest{.keys = std::move(*keys), .read_only = options.read_only}, stdio);
  const Attachment::Left left = co_await attachment->run();
  if (left.ended) {
    if (attachment->at_terminal()) complain(stdio, options.id + " " + end_text(*left.ended));
    co_return exit_code_for(*left.ended);
  }
  if (left.trouble) {
    complain(stdio, left.trouble->message());
    co_return kExecFailed;
  }
  if (attachment->at_terminal())
    complain(stdio, "detached from " + options.id + "; it keeps running");
  co_return left.signal == 0 ? 0 : 128 + left.signal;
}

}  // namespace talaria::front::cli
