#include "host/sync/synced_environment.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "host/sync/sync_log.h"

namespace talaria::host {

Task<Result<environment::CommandOutcome>> SyncedEnvironment::run(environment::CommandSpec spec,
                                                                 CancelToken cancel) {
  std::vector<std::string> notices = co_await sync_.push(environment_->files(), cancel);
  Result<environment::CommandOutcome> outcome = co_await environment_->run(std::move(spec), cancel);
  if (outcome) std::ranges::move(notices, std::back_inserter(outcome->notices));
  co_return outcome;
}

Task<Result<environment::StartedProcess>> SyncedEnvironment::SyncedProcesses::start(
    environment::CommandSpec command, environment::ProcessSpec spec, CancelToken cancel) {
  std::vector<std::string> notices = co_await sync_.push(environment_.files(), cancel);
  Result<environment::StartedProcess> started =
      co_await others().start(std::move(command), std::move(spec), cancel);
  if (started) std::ranges::move(notices, std::back_inserter(started->notices));
  co_return started;
}

// For somebody else's commands: they get nothing of the home.
Task<Result<environment::StartedProcess>> SyncedEnvironment::SyncedProcesses::start_as(
    std::string id, environment::CommandSpec command, environment::ProcessSpec spec,
    CancelToken cancel) {
  environment::FixedStarts* const starts = environment::fixed_starts(others());
  if (!starts) co_return fail(ErrorKind::unavailable, "no runner can be at this target");
  co_return co_await starts->start_as(std::move(id), std::move(command), std::move(spec), cancel);
}

// What was not brought back does not keep it open, but is said. Nobody may be there to hear it, so
// it is written down, too.
Task<Result<void>> SyncedEnvironment::close(bool remove) {
  const SyncedBack back = co_await sync_.pull(environment_->files());
  const Result<void> closed = co_await environment_->close(remove);
  if (back.notices.empty()) co_return closed;
  (void)append_to_log(log_, target(), back.notices);
  if (!closed || back.complete) co_return closed;
  std::string text;
  for (const std::string& notice : back.notices) text += (text.empty() ? "" : "; ") + notice;
  co_return fail(ErrorKind::system, text);
}

}  // namespace talaria::host
