#include "environment/end_runner.h"

#include <string>

#include "link/messages.h"

namespace talaria::environment {
namespace {

// One by one, so that a caller that waits for a command gets its result; a caller that is cut off
// would look for the runner and start it again.
Task<void> kill_all(std::shared_ptr<link::LinkDriver> link) {
  const auto list = co_await ask<link::ListReport>(link, link::List{});
  if (!list) co_return;
  for (const link::ProcessEntry& entry : list->processes) {
    if (entry.running) co_await link->call(link::Kill{.process = entry.process});
  }
}

}  // namespace

Task<Result<void>> end_runner(std::shared_ptr<link::LinkDriver> link, bool kill_commands) {
  if (kill_commands) co_await kill_all(link);
  const Result<std::string> answer = co_await link->call(link::Stop{.kill = kill_commands});
  link->disconnect();
  // It may go before its answer is there.
  if (answer || answer.error().kind() == ErrorKind::runner_lost) co_return Result<void>();
  co_return fail(answer.error());
}

}  // namespace talaria::environment
