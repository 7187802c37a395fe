// Store: what outlives the programs that use a home, in <home>/talaria/talaria.db: events with what
// their consumers have had of them, where every process is, and what people are asked about.
// Several programs use it at once. Calls take microseconds but may wait for another one that
// writes; for one thread at a time.
//
// All of it is kept for a while only (base/limits.h), and cleared up as things are added.
#pragma once

#include <talaria/event.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "environment/processes.h"
#include "host/store/database.h"
#include "host/store/stored_approval.h"

namespace talaria::host {

// Which event it is: its number at that instance of a runner. 0: it is none of a runner's, but of
// ours about that instance.
struct RunnerKey {
  std::string instance;
  std::uint64_t number = 0;
};

// Where a process is.
struct StoredProcess {
  std::string id;
  std::string task;
  std::string target;
  std::string environment;  // its target and id, as in "local/default"
  std::string instance;     // of the runner
  std::string session_key;
  std::string command;  // the beginning of it
  std::chrono::system_clock::time_point started;
  bool ended = false;
};

class Store {
 public:
  using Time = std::chrono::system_clock::time_point;

  static Result<Store> open(const std::string& home);
  static bool exists(const std::string& home);

  // False if it was there: the same key, another end of the same process, or another loss of the
  // same instance. The end of a process ends it here, too.
  Result<bool> add(const RunnerKey& key, const ProcessEvent& event);
  // All of them or, with an error, none. How many were new.
  Result<std::size_t> add_all(const std::string& instance,
                              std::span<const environment::NumberedEvent> events);
  // The highest number there has been of that instance; 0: none.
  Result<std::uint64_t> last_number(const std::string& instance);

  Result<std::uint64_t> last_event();  // its id; 0: there is none

  // In order of their ids.
  Result<std::vector<ProcessEvent>> events_after(std::uint64_t id, std::size_t limit);
  // The newest of those, also in order.
  Result<std::vector<ProcessEvent>> newest_events(std::uint64_t after, std::size_t limit);
  // Those behind a consumer's cursor that it has to be told: ends only if they are announced and
  // nobody has read them.
  Result<std::vector<ProcessEvent>> pending(std::string_view consumer, std::size_t limit);

  // The last event a consumer has had. A new one begins with what is kept: 0.
  Result<std::uint64_t> cursor(std::string_view consumer);
  Result<void> move_cursor(std::string_view consumer, std::uint64_t id);  // never back

  // The process has ended, and somebody read that, so that nobody has to be told; also before the
  // event is here.
  Result<void> mark_consumed(std::string_view process);
  Result<bool> is_consumed(std::string_view process);

  // How far a reader of that name has read the output of a process; absent: it has not.
  Result<std::optional<std::uint64_t>> mark(std::string_view process, std::string_view name);
  Result<void> set_mark(std::string_view process, std::string_view name, std::uint64_t cursor);

  // Replaces what is there of it. Its end may have come first.
  Result<void> add_process(const StoredProcess& process);
  Result<std::optional<StoredProcess>> find_process(std::string_view id);
  Result<void> end_process(std::string_view id);
  Result<std::vector<StoredProcess>> running_at(std::string_view environment);
  // For every environment that has processes, or had some that may still be looked at, one of them.
  Result<std::vector<StoredProcess>> one_per_environment();

  // The newest ones, whether they run or not, newest first.
  Result<std::vector<StoredProcess>> newest_processes(std::size_t limit);

  // Somebody is to be asked about it.
  Result<void> add_approval(const StoredApproval& approval);
  // The open ones, oldest first; `all`: also those that were answered or expired, as long as they
  // are kept.
  Result<std::vector<StoredApproval>> approvals(bool all);
  Result<std::optional<StoredApproval>> find_approval(std::string_view id);
  // True for one caller only, however many try: it was open, and now is not. `choice` is empty if
  // it expires.
  Result<bool> close_approval(std::string_view id, ApprovalState state, std::string_view choice,
                              std::string_view answerer);
  // How many can still be answered.
  Result<std::size_t> open_approvals();
  // Those of a session; if that is a sandbox, of all sandboxes of its owner.
  Result<std::size_t> open_approvals_of(std::string_view session_key);
  // The same question, put earlier and not waited for.
  Result<std::optional<StoredApproval>> find_unwaited(const StoredApproval& question,
                                                      ApprovalState state);
  // Takes the answer to such a question; it counts once.
  Result<std::optional<StoredApproval>> take_answer(const StoredApproval& question);

  // Rules allowed at a target: in this session, or for good.
  Result<std::vector<std::string>> grants(std::string_view session_key, std::string_view target);
  // For a session until then; without a session, and a time, for good.
  Result<void> add_grant(std::string_view session_key, std::string_view target,
                         std::string_view rule, std::optional<Time> until);
  Result<void> forget_grants(std::string_view session_key);

  // Another number than before: another program has changed something.
  Result<std::int64_t> change_number();

  // Clears up. Happens by itself, now and then.
  Result<void> prune(Time now);

 private:
  Store(std::string home, Database database)
      : home_(std::move(home)), database_(std::move(database)) {}

  Result<void> ready();
  Result<void> set_ended(std::string_view process);
  Result<bool> insert(const RunnerKey& key, const ProcessEvent& event);
  void prune_if_due(std::int64_t before, std::int64_t after);
  Result<std::vector<ProcessEvent>> read_events(Query& query);
  static Result<std::vector<StoredProcess>> read_processes(Query& query);
  static Result<std::vector<StoredApproval>> read_approvals(Query& query);

  std::string home_;
  Database database_;
};

}  // namespace talaria::host
