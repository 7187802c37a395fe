// A run that ended under an earlier runner, made from what that one recorded.
#include <algorithm>
#include <utility>

#include "base/wall_time.h"
#include "runner/run.h"

namespace talaria::runner {

std::shared_ptr<Run> Run::remembered(const asio::any_io_executor& executor, const ShellHost& host,
                                     const link::ProcessEntry& entry,
                                     std::chrono::microseconds duration,
                                     std::unique_ptr<OutputLog> log) {
  std::shared_ptr<Run> run(new Run(executor, host, Shell{.pid = static_cast<pid_t>(entry.pid)}));
  if (!entry.sizes.empty()) run->terminal_.emplace(entry.sizes);
  CommandStart start{.spec = {.process = entry.process,
                              .session = entry.session,
                              .command = entry.command,
                              .lifetime = entry.lifetime,
                              .max_age = std::chrono::milliseconds(entry.max_age_ms),
                              .started_ms = entry.started_ms,
                              .owner = entry.owner,
                              .watch = entry.watch,
                              .notify = entry.notify,
                              .pty = entry.pty},
                     .from = {.cwd = entry.cwd},
                     .log = std::move(log)};
  Exit exit{.status = Exited{entry.code},
            .how = entry.ended,
            .source = entry.source,
            .time_ms = entry.ended_ms};
  if (entry.signal != 0) exit.status = Signaled{static_cast<int>(entry.signal)};
  Command& command = run->state_.emplace<Command>(*run, start, Ended{std::move(exit)});
  const std::uint64_t now = milliseconds_since_1970();
  command.started -= std::chrono::milliseconds(now - std::min(now, entry.started_ms));
  command.duration = duration;
  return run;
}

}  // namespace talaria::runner
