#include "host/local_runners.h"

#include <algorithm>
#include <utility>

#include "environment/runner_control.h"
#include "os/directory.h"

namespace talaria::host {
namespace {

std::string run_directory(const std::string& home) { return home + "/talaria/run"; }

// For a user of the command line, who can force it.
Error refusal(const Error& error) {
  if (error.kind() != ErrorKind::denied) return error;
  const std::string what = error.message().substr(0, error.message().find(';'));
  const bool one = what.starts_with("1 ");
  return Error(error.kind(), what + (one ? ". Wait until it ends, or use --force to kill it."
                                         : ". Wait until they end, or use --force to kill them."));
}

// An error: they are still there.
std::optional<Error> end_left(const RunnerEntry& entry, bool force) {
  const std::string which = std::to_string(entry.left.size()) +
                            " processes of a runner that was killed, such as " +
                            entry.left.front() + ", ";
  if (!force) return Error(ErrorKind::denied, which + "still run; use --force to end them");
  if (environment::end_left_processes(entry.directory)) return std::nullopt;
  return Error(ErrorKind::unavailable, which + "do not end");
}

Task<RunnerEntry> entry_of(std::string home, std::string id) {
  RunnerEntry entry{.id = id,
                    .directory = environment::runner_home(run_directory(home) + "/" + id)};
  auto report = co_await environment::look_at_runner(entry.directory);
  if (report) {
    entry.running = std::move(*report);
  } else {
    entry.trouble = report.error().message();
  }
  entry.sessions = environment::stored_sessions(entry.directory);
  entry.left = environment::left_processes(entry.directory);
  co_return entry;
}

}  // namespace

std::vector<std::string> runner_ids(const std::string& home) {
  std::vector<std::string> ids = os::names_in(run_directory(home));
  std::erase_if(ids, [&](const std::string& id) {
    return !os::is_plain_directory(run_directory(home) + "/" + id);
  });
  std::ranges::sort(ids);
  return ids;
}

Task<std::vector<RunnerEntry>> list_runners(std::string home) {
  std::vector<RunnerEntry> entries;
  for (const std::string& id : runner_ids(home)) {
    entries.push_back(co_await entry_of(home, id));
  }
  co_return entries;
}

Task<Result<RunnerEntry>> find_runner(std::string home, std::string id) {
  for (const std::string& one : runner_ids(home)) {
    if (one == id) co_return co_await entry_of(home, id);
  }
  co_return fail(ErrorKind::not_found,
                 "unknown environment '" + id + "'. `talaria env list` lists all environments.");
}

Task<Result<void>> remove_runner_of(std::string home, std::string id, bool force) {
  const auto found = co_await find_runner(home, id);
  if (!found) co_return fail(found.error());
  const auto removed = co_await environment::remove_runner(run_directory(home) + "/" + id, force);
  if (!removed) co_return fail(refusal(removed.error()));
  co_return removed;
}

Task<std::vector<StoppedRunner>> stop_runners(std::string home, bool force) {
  std::vector<StoppedRunner> stopped;
  for (const RunnerEntry& entry : co_await list_runners(home)) {
    if (!entry.running && entry.trouble.empty() && entry.left.empty()) continue;
    StoppedRunner one{.id = entry.id, .before = entry.running.value_or(RunnerReport{})};
    if (!entry.left.empty()) one.refused = end_left(entry, force);
    if (!one.refused) one.left = entry.left.size();
    if (!entry.trouble.empty()) {
      one.refused = Error(ErrorKind::unavailable, entry.trouble);
    } else if (entry.running) {
      const auto done = co_await environment::stop_runner(entry.directory, force);
      if (!done) one.refused = refusal(done.error());
    }
    stopped.push_back(std::move(one));
  }
  co_return stopped;
}

}  // namespace talaria::host
