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

// Files that could not be brought back do not keep it open, but are reported. At the end of a program
// the report may have no reader, so it is also written to the log.
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
