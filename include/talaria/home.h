// Home: the directory in which programs that use Talaria find each other's work on this machine.
// It has the runners of this machine, which outlive the programs that started them, the state of
// their sessions, and the stored overrides of tasks. Runners at other targets are not shown.
//
// Every function blocks, with an event loop of its own. Ignore SIGPIPE.
#pragma once

#include <talaria/approval.h>
#include <talaria/environment.h>
#include <talaria/error.h>
#include <talaria/export.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace talaria {

struct RunnerCommand {
  std::string session = {};
  std::string command = {};  // the beginning of it
  std::uint64_t pid = 0;
  std::chrono::milliseconds age{0};
};

struct RunnerReport {
  std::uint64_t pid = 0;
  std::string version = {};
  std::chrono::milliseconds uptime{0};
  std::uint32_t links = 0;  // other controllers that are connected
  std::vector<RunnerCommand> commands = {};
};

struct StoredSession {
  std::string id = {};
  std::string cwd = {};
  std::chrono::system_clock::time_point last_use = {};
};

struct RunnerEntry {
  std::string id = {};
  std::string directory = {};
  std::optional<RunnerReport> running = {};  // absent: it does not run
  std::string trouble = {};                  // not empty: it does not answer, and why
  std::vector<StoredSession> sessions = {};
  // Processes of commands whose runner was killed: "1234 (sleep)". The next runner ends them.
  std::vector<std::string> left = {};
};

// A container, instance or sandbox at another target that was created from this home.
struct KnownPlace {
  std::string id = {};      // of the environment it serves
  std::string target = {};  // "docker", ...
  std::string place = {};   // "container hermes-1a2b3c4d"
  std::string profile = {};
  std::chrono::system_clock::time_point last_use = {};
  bool in_use = false;  // by a program that runs now
};

// A process as it was recorded when it was started.
struct NotedProcess {
  std::string id = {};
  std::string command = {};  // the beginning of it
  bool ended = false;        // as far as is recorded
};

// A runner that was asked to end.
struct StoppedRunner {
  std::string id = {};
  RunnerReport before = {};
  std::size_t left = 0;  // processes of a runner that was killed before; they were ended
  std::optional<Error> refused = {};  // it still runs
};

using StoredOverrides = std::vector<std::pair<std::string, std::string>>;  // key and value

class TALARIA_API Home {
 public:
  Home();  // this process's: TALARIA_HOME, else HERMES_HOME, else ~/.hermes
  explicit Home(std::string directory) : directory_(std::move(directory)) {}

  const std::string& directory() const { return directory_; }

  std::vector<std::string> runner_ids() const;
  std::vector<RunnerEntry> runners() const;
  // An error (not_found) lists the runners that exist.
  Result<RunnerEntry> runner(const std::string& id) const;
  // Ends it and forgets its sessions. Refused (denied) while commands run, unless forced.
  Result<void> remove_runner(const std::string& id, bool force) const;
  // Ends the runners and waits until they are gone. The state of their sessions stays.
  std::vector<StoppedRunner> stop_runners(bool force) const;

  // As recorded: no engine is asked whether they still exist.
  std::vector<KnownPlace> places() const;

  // The containers that wait for a task, as recorded.
  std::vector<PoolInfo> pools() const;

  // The image at Modal with the files of the last sandbox of a task, if there is one.
  std::optional<std::string> snapshot(const std::string& task) const;
  // The next sandbox of the task begins empty.
  Result<void> forget_snapshot(const std::string& task) const;

  // What they use together.
  EnvironmentTotals totals(const std::vector<RunnerEntry>& runners,
                           const std::vector<KnownPlace>& places) const;

  // The newest ones, newest first. No runner is asked, and nothing is started.
  std::vector<NotedProcess> processes(std::size_t limit) const;

  // Open questions about commands, oldest first; `all`: also answered ones.
  Result<std::vector<QueuedApproval>> approvals(bool all = false) const;
  // "once", "session", "always" or "deny". Only the first answer is used; later ones get an Error
  // (denied), and so does an approval by a process that a command of Talaria has started.
  // not_found: there is no such question.
  Result<QueuedApproval> answer_approval(const std::string& id, const ApprovalAnswer& answer) const;

  // What was allowed beyond one call and has not ended, oldest first.
  Result<std::vector<ApprovalGrant>> grants() const;
  // Lets one of an earlier version have an effect; `lasts` 0: until it would have ended. Refused
  // (denied) as an approval is.
  Result<ApprovalGrant> confirm_grant(const std::string& id, std::chrono::seconds lasts) const;
  // It has no effect from now on. Both: not_found if there is no such grant.
  Result<ApprovalGrant> revoke_grant(const std::string& id) const;

  // Whether the other end of a connected socket is a process that a command of Talaria on this
  // machine has started. A server takes no approval from such a client.
  static bool comes_from_command(int connection);

  // The stored overrides of a task. They apply from the next call of every program with this home.
  // Those of the program itself (Runtime::override_task, with the same keys) take precedence.
  Result<StoredOverrides> overrides(const std::string& task) const;
  // Replaces them; an empty list removes them.
  Result<void> store_overrides(const std::string& task, const StoredOverrides& overrides) const;

 private:
  std::string directory_;
};

}  // namespace talaria
