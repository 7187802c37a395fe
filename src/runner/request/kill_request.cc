// Kill: sends a signal, if there is one. Else it kills the tree, and the answer has the processes
// that survived.
#include <csignal>

#include "runner/limits.h"
#include "runner/request/open_request.h"

namespace talaria::runner {
namespace {

// The shell has exited and left no process, though its reaper may not have said the latter yet.
bool left_nothing(const Run& run) {
  return run.tree().empty() || (run.exit() != nullptr && run.exit()->children == 0);
}

class KillRequest final : public OpenRequest {
 public:
  using OpenRequest::OpenRequest;

  std::optional<Result<std::string>> progress() override {
    if (run_->tree().being_killed()) return std::nullopt;
    return link::encode(link::KillReport{.survivors = run_->tree().survivors()});
  }
};

}  // namespace

Result<Begun> begin_request(const RequestContext& context, const link::Kill& kill) {
  auto run = context.parts.runs().get(kill.process);
  if (!run) return fail(run.error());
  if (kill.grace_ms > kLongestGrace) {
    return fail(ErrorKind::bad_request, "grace_ms: at most " + std::to_string(kLongestGrace));
  }
  if (kill.signal > static_cast<std::uint32_t>(SIGRTMAX)) {
    return fail(ErrorKind::bad_request, "signal: invalid signal number");
  }
  if (left_nothing(**run)) return link::encode(link::KillReport{.already_ended = true});
  if (kill.signal != 0) {
    (*run)->tree().signal(static_cast<int>(kill.signal));
    return link::encode(link::KillReport{});
  }
  const auto grace = kill.grace_ms == 0 ? kDefaultGrace : std::chrono::milliseconds(kill.grace_ms);
  (*run)->kill(
      kill.reason == link::KillReason::timeout ? link::Ended::timed_out : link::Ended::killed,
      grace, kill.source);
  return std::make_unique<KillRequest>(context, std::move(*run));
}

}  // namespace talaria::runner
