// Home: the directory in which programs that use Talaria find each other's work on this machine.
// Here are the runners that outlive whoever started them, whether they run or only keep the state
// of sessions, and the overrides that were stored for tasks. Runners at other targets are not seen.
//
// Every function waits until it is done, on an event loop of its own. Ignore SIGPIPE.
#pragma once

#include <talaria/approval.h>
#include <talaria/environment.h>
#include <talaria/error.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace talaria {

struct RunnerCommand {
  std::string session;
  std::string command;  // the beginning of it
  std::uint64_t pid = 0;
  std::chrono::milliseconds age{0};
};

struct RunnerReport {
  std::uint64_t pid = 0;
  std::string version;
  std::chrono::milliseconds uptime{0};
  std::uint32_t links = 0;  // controllers that are there, without us
  std::vector<RunnerCommand> commands;
};

struct StoredSession {
  std::string id;
  std::string cwd;
  std::chrono::system_clock::time_point last_use;
};

struct RunnerEntry {
  std::string id;
  std::string directory;
  std::optional<RunnerReport> running;  // absent: it does not run
  std::string trouble;                  // not empty: it has the place, but does not answer
  std::vector<StoredSession> sessions;
};

// Something at another target that was made from this home and may be found again.
struct KnownPlace {
  std::string id;      // of the environment it serves
  std::string target;  // "docker", ...
  std::string place;   // "container hermes-1a2b3c4d"
  std::string profile;
  std::chrono::system_clock::time_point last_use;
  bool in_use = false;  // by a program that is there now
};

// A process as it was written down when it was started.
struct NotedProcess {
  std::string id;
  std::string command;  // the beginning of it
  bool ended = false;   // as far as anybody has heard
};

// What became of one that was to end.
struct StoppedRunner {
  std::string id;
  RunnerReport before;
  std::optional<Error> refused;  // it still runs
};

using StoredOverrides = std::vector<std::pair<std::string, std::string>>;  // key and value

class Home {
 public:
  Home();  // this process's: TALARIA_HOME, else HERMES_HOME, else ~/.hermes
  explicit Home(std::string directory) : directory_(std::move(directory)) {}

  const std::string& directory() const { return directory_; }

  std::vector<std::string> runner_ids() const;
  std::vector<RunnerEntry> runners() const;
  // An error (not_found) names those there are.
  Result<RunnerEntry> runner(const std::string& id) const;
  // Ends it and forgets its sessions. Refused (denied) while commands run, unless forced.
  Result<void> remove_runner(const std::string& id, bool force) const;
  // Ends those that run and waits until they are gone; the sessions' state stays.
  std::vector<StoppedRunner> stop_runners(bool force) const;

  // As it was written down: no engine is asked whether they are still there.
  std::vector<KnownPlace> places() const;

  // The image at Modal that has the files of a task, from its last sandbox there; nothing: none
  // has.
  std::optional<std::string> snapshot(const std::string& task) const;
  // The next sandbox of the task begins anew.
  Result<void> forget_snapshot(const std::string& task) const;

  // What all of these use.
  EnvironmentTotals totals(const std::vector<RunnerEntry>& runners,
                           const std::vector<KnownPlace>& places) const;

  // The newest ones, newest first. No runner is asked, and nothing is started.
  std::vector<NotedProcess> processes(std::size_t limit) const;

  // Questions about commands that can be answered, oldest first; `all`: also those that were.
  Result<std::vector<QueuedApproval>> approvals(bool all = false) const;
  // "once", "session", "always" or "deny". Of several answers the first counts; the others get an
  // Error (denied). not_found: there is no such question.
  Result<QueuedApproval> answer_approval(const std::string& id, std::string_view word) const;

  // What is stored for a task. Counts for the next call of every program with this home, but less
  // than what that program says itself (Runtime::override_task, which has the same keys).
  Result<StoredOverrides> overrides(const std::string& task) const;
  // Replaces it; an empty list takes it back.
  Result<void> store_overrides(const std::string& task, const StoredOverrides& overrides) const;

 private:
  std::string directory_;
};

}  // namespace talaria
