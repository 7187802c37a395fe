// Environments: which environment serves a task. They are made when a task first needs one and
// shared by all tasks that have no reason to be apart; an override may give one. A target that was
// asked for and is unavailable is an error that names it; nothing ever runs somewhere else instead.
#pragma once

#include <talaria/environment.h>
#include <talaria/event.h>
#include <talaria/hooks.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/gate.h"
#include "base/limits.h"
#include "base/result.h"
#include "base/task.h"
#include "environment/environment.h"
#include "environment/swept.h"
#include "host/backend.h"
#include "host/environment_life.h"
#include "host/environment_table.h"
#include "host/journal.h"
#include "host/settings.h"
#include "host/shared/shared_files.h"
#include "host/sync/synced_environment.h"

namespace talaria::host {

using EnvironmentPtr = std::shared_ptr<environment::Environment>;

// The environments that have processes.
struct WithProcesses {
  std::map<std::string, EnvironmentPtr> environments;  // by their key in the store
  std::vector<Error> out_of_reach;                     // which cannot be asked, and why
};

class Environments {
 public:
  // All of it outlives the environments.
  Environments(Settings& settings, Journal& journal, const Hooks& hooks,
               std::vector<Backend> backends);
  Environments(const Environments&) = delete;
  Environments& operator=(const Environments&) = delete;
  ~Environments();

  // The environment of `task`, made now if it is not there yet. A caller keeps the pointer for as
  // long as its command runs. `config`: of the task, if the caller has it already.
  Task<Result<EnvironmentPtr>> get(std::string task);
  Task<Result<EnvironmentPtr>> get(std::string task, ConfigPtr config);

  std::vector<EnvironmentInfo> list() const { return table_->list(); }
  Task<EnvironmentTotals> totals() const;
  // Ends it, and with `everything` all that would be found again of it; see Environment::close().
  // The next call of its tasks makes another.
  Task<Result<void>> remove(std::string id, Removal how);
  // The same for all there are, at the end. Cancelled: files are not brought back any longer.
  Task<EnvironmentLife::Closed> close_all(bool remove, CancelToken cancel);
  // Fills the pool of the configuration's target from now on, if it has one (pool.size).
  void fill_pool() const;
  Task<void> end_pools() const;
  PoolTotals pool_totals() const;
  // Removes what is no longer needed at the target of the configuration. An error: the target does
  // not answer.
  Task<Result<std::vector<environment::Swept>>> sweep(bool running, bool dry_run) const;
  // Why no command could be run with this configuration, as far as can be determined without doing
  // anything; no error if one could.
  Result<void> requirements() const;
  // The same, and whether the engine of the target answers.
  Task<Result<void>> reach() const;

  // How the environment of a task is reached; empty: it does not exist yet.
  std::string transport_of(const std::string& task) const;

  // Where the session of a task was after its last command; empty: it was ended.
  void session_is_at(const std::string& task, const std::string& directory);
  // Empty: this program has run none of it yet.
  std::string directory_of(const std::string& task) const;
  // Whether a command has run in it, as far as is recorded.
  bool has_session(const std::string& task) const;
  // The same if another program has run it, as far as this machine has stored that; else where its
  // first command would start. Empty: not known. Reads files.
  std::string stored_directory_of(const std::string& task) const;

  // The environment a process is in, as far as that is recorded; else the one of `task`.
  Task<Result<EnvironmentPtr>> of_process(std::string process, std::string task);
  // Every environment that has processes, as far as is recorded.
  Task<Result<WithProcesses>> with_processes();

  // Brings what environments with processes have to report into the store, once.
  Task<void> collect_events();
  // Hands events to `sink` until cancelled; those of environments that have processes and of all
  // that are used meanwhile.
  Task<Result<void>> deliver_events(EventOptions options,
                                    std::function<bool(const ProcessEvent&)> sink,
                                    CancelToken cancel);

  // What of the home other targets get.
  SharedFiles& shared_files() { return *shared_files_; }

 private:
  Result<const Backend*> backend_for(const Config& config) const;
  std::vector<std::string> ids_meant_by(const std::string& id) const;
  Task<Result<void>> remove_one(std::string id, Removal how);
  static Task<bool> has_foreign_processes(EnvironmentPtr environment);
  Task<Result<void>> nothing_runs_in(std::string id, EnvironmentPtr environment);
  Task<Backend::Made> make(EnvironmentRequest request) const;
  void add_shared_files(const Backend& backend, EnvironmentRequest& request) const;
  static Task<void> sweep_if_due(Backend backend, Config config);
  // Nothing that costs is made or started only to be looked at.
  Task<Result<bool>> can_be_looked_at(std::string task);
  // The environment in which it was started, also at another target than that of its task now.
  // Null: it does not exist any more.
  Task<Result<EnvironmentPtr>> of_stored(StoredProcess process);
  Task<Result<EnvironmentPtr>> at_other_target(StoredProcess process);
  Task<void> look_at_processes();

  Settings& settings_;
  Journal& journal_;
  const Hooks& hooks_;
  std::vector<Backend> backends_;
  std::shared_ptr<SharedFiles> shared_files_;
  std::shared_ptr<Gate> making_ = std::make_shared<Gate>(kMostMadeAtOnce);
  std::shared_ptr<BringingBack> bringing_back_ = std::make_shared<BringingBack>();
  std::shared_ptr<EnvironmentTable> table_;
  std::map<std::string, std::string> directories_;  // by task
  EnvironmentLife life_;
};

}  // namespace talaria::host
