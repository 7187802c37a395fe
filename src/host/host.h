// Host: which environment serves a task, and with which configuration. Environments are made when a
// task first needs one and shared by all tasks that have no reason to be apart; an override may
// give one. A target that was asked for and cannot be had is an error that names it; nothing ever
// runs somewhere else instead.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/gate.h"
#include "base/limits.h"
#include "base/result.h"
#include "base/task.h"
#include "environment/bound_path.h"
#include "environment/environment.h"
#include "environment/swept.h"
#include "host/caller.h"
#include "host/config.h"
#include "host/environment_life.h"
#include "host/environment_table.h"
#include "host/event_feed.h"
#include "host/hooks.h"
#include "host/override_store.h"
#include "host/passthrough.h"
#include "host/process_ledger.h"
#include "host/shared/shared_files.h"
#include "host/sudo_passwords.h"
#include "host/task_override.h"

namespace talaria::host {

// An environment that is wanted.
struct EnvironmentRequest {
  Config config;
  std::string id;                     // the task it is for, or "default": what it is found again by
  bool existing = false;              // fails with not_found if it would have to be made
  std::string place = {};             // of an existing one: which, if the task has several
  bool has_credential_files = false;  // there are some that commands are to have
  std::vector<environment::BoundPath> mounts =
      {};  // what of the home a container shows (SharedBy::mounts)
  std::function<void(const std::string&)> progress = {};  // told of work that takes long
  std::shared_ptr<Gate> gate = {};  // lets so many ask an engine at the same time
};

// What is to be removed of what was made at a target.
struct SweepRequest {
  Config config;
  bool running = false;  // also what runs and is meant to be found again, if nobody uses it
  bool dry_run = false;  // only look
};

// How a target gets what of the home is shared with it (shared/shared_files.h).
enum class SharedBy {
  none,    // it has the home itself, or nothing of it
  mounts,  // EnvironmentRequest::mounts: it shows them
  copies,  // the Host copies them there before commands, and brings changes back at the end
};

// A kind of target this program can serve.
struct Backend {
  using Made = Result<std::unique_ptr<environment::Environment>>;
  using Make = std::function<Task<Made>(EnvironmentRequest)>;
  // For one whose environments are there at once: what takes time is done for the first command.
  using MakeAtOnce = std::function<Made(const EnvironmentRequest&)>;
  // Whether it could be had, as far as can be told without doing anything.
  using Check = std::function<Result<void>(const Config&)>;

  Backend(std::string its_name, Make its_make);
  Backend(std::string its_name, MakeAtOnce its_make);

  // Removes what nobody needs any more of what was made there; an error: it cannot be asked.
  using Sweep = std::function<Task<Result<std::vector<environment::Swept>>>(SweepRequest)>;

  // Whether the task's runs already, where making or starting one costs.
  using IsUp = std::function<Task<Result<bool>>(EnvironmentRequest)>;

  std::string name;  // as in TERMINAL_ENV
  Make make;
  IsUp is_up = nullptr;   // may be null: it costs nothing to have one
  Sweep sweep = nullptr;  // may be null: nothing is made there
  Check check = [](const Config&) { return Result<void>(); };
  SharedBy shared_by = SharedBy::none;
  std::string shared_base = "~/.hermes";  // where copies go
};

// Those environments that have processes.
struct WithProcesses {
  std::map<std::string, std::shared_ptr<environment::Environment>>
      environments;                 // by their key in the store
  std::vector<Error> out_of_reach;  // what is written down and cannot be asked, and why
};

struct SessionMove {
  std::string directory;
  std::string id;  // of the override
};

class Host {
 public:
  // `config` may be an error: then every call is answered with it, and none is run.
  Host(Caller caller, Result<Config> config, std::vector<Backend> backends);

  const Caller& caller() const { return caller_; }
  const Result<Config>& config() const { return config_; }
  const std::string& target() const { return target_; }  // the one asked for, served or not
  // The same two for one task, whose override counts; the stored ones are read again if need be.
  Result<Config> config_of(const std::string& task);
  std::string target_of(const std::string& task) const;
  // Whether it is an override that says where the task starts.
  bool has_override_cwd(const std::string& task) const { return overrides_.has_directory(task); }
  const std::vector<std::string>& child_env() const { return child_env_; }
  // What commands get elsewhere; see carried_env.h.
  std::vector<std::string> carried_env() const;
  // NAME=value, for every command from now on; child_env.h says how to force a withheld name.
  void add_variables(const std::vector<std::string>& entries);
  // See passthrough.h.
  Result<void> pass_through(std::string_view name);
  const std::set<std::string>& passthrough_names() const { return passthrough_.names(); }
  // What of the home other targets get.
  SharedFiles& shared_files() { return *shared_files_; }
  Hooks& hooks() { return hooks_; }
  // Those people gave for the sudo of commands.
  SudoPasswords& sudo_passwords() { return sudo_passwords_; }
  // Whether people may be asked at the terminal that controls this process.
  bool asks_at_terminal() const { return asks_at_terminal_; }
  void ask_at_terminal(bool may) { asks_at_terminal_ = may; }

  // The environment of `task`, made now if it is not there yet. A caller keeps the pointer for as
  // long as its command runs.
  Task<Result<std::shared_ptr<environment::Environment>>> environment(std::string task);

  std::vector<EnvironmentInfo> environments() const { return environments_->list(); }
  // Ends it, and with `remove` all that would be found again of it; see Environment::close(). The
  // next call of its tasks makes another.
  Task<Result<void>> remove_environment(std::string id, Removal how);
  // The same for all there are, at the end.
  Task<EnvironmentLife::Closed> close_environments(bool remove);

  EnvironmentTotals environment_totals() const;

  // What nobody needs any more at the target of the configuration. An error: it cannot be asked.
  Task<Result<std::vector<environment::Swept>>> sweep(bool running, bool dry_run) const;

  // Where the session of a task was after its last command.
  void session_is_at(const std::string& task, const std::string& directory);
  // Empty: this program has run none of it yet.
  std::string directory_of(const std::string& task) const;

  // Replaces what was said for `task` before; task_override.h has the keys. A task without one has
  // that of the default task. An environment of its own that does not fit any more is removed.
  // Nothing said here: what override_store.h holds for it.
  Result<void> override_task(const std::string& task, const json::object& overrides);
  void clear_override(const std::string& task);

  // What the home remembers of processes, and the events of its environments.
  ProcessLedger& ledger() { return *ledger_; }
  EventFeed& events() { return *events_; }

  // The environment a process is in, as far as that is written down; else the one of `task`.
  Task<Result<std::shared_ptr<environment::Environment>>> environment_of(std::string process,
                                                                         std::string task);
  // Every environment that has processes, as far as is written down.
  Task<Result<WithProcesses>> environments_with_processes();
  // Writes down where a process is (`process` need not say). An Error says why that could not be
  // done.
  Result<void> process_started(const std::string& task, environment::Environment& environment,
                               StoredProcess process);

  // Brings what environments with processes have to tell into the store, once.
  Task<void> collect_events();
  // Hands events to `sink` until cancelled; those of environments that have processes and of all
  // that are used meanwhile.
  Task<Result<void>> deliver_events(EventOptions wish,
                                    std::function<bool(const ProcessEvent&)> sink,
                                    CancelToken cancel);

  // Where an override wants the session of `task` to go with the command that is started now.
  // end_move() says whether it went; until then no other command takes it along.
  std::optional<SessionMove> begin_move(const std::string& task);
  void end_move(const std::string& task, const SessionMove& move, bool went);

  // Why no command could be run with this configuration, as far as can be told without doing
  // anything; no error if one could.
  Result<void> requirements() const;

 private:
  std::vector<std::string> make_child_env() const;
  void remove_all(const std::vector<std::string>& ids);
  Error because_of_override(const std::string& task, const Error& error) const;
  Result<const Backend*> backend_for(const Config& config) const;
  Task<Result<void>> nothing_runs_in(std::string id,
                                     std::shared_ptr<environment::Environment> environment) const;
  Task<Backend::Made> make(EnvironmentRequest request) const;
  Task<void> sweep_if_due(const Backend& backend, Config config) const;
  std::string key_of(const std::string& task) const;
  // Nothing that costs is made or started only to be looked at.
  Task<Result<bool>> can_be_looked_at(std::string task);
  Task<void> look_at_processes();

  Caller caller_;
  Result<Config> config_;
  std::string target_;
  std::vector<Backend> backends_;
  OverrideStore stored_overrides_;
  Passthrough passthrough_;
  std::vector<std::string> added_variables_;
  std::vector<std::string> child_env_;
  std::shared_ptr<SharedFiles> shared_files_;
  Hooks hooks_;
  SudoPasswords sudo_passwords_;
  bool asks_at_terminal_ = false;
  std::shared_ptr<EnvironmentTable> environments_ = std::make_shared<EnvironmentTable>();
  std::map<std::string, std::string> directories_;  // by task
  std::shared_ptr<ProcessLedger> ledger_;
  std::unique_ptr<EventFeed> events_;
  std::unique_ptr<EnvironmentLife> life_;
  std::shared_ptr<Gate> making_ = std::make_shared<Gate>(kMostMadeAtOnce);
  TaskOverrides overrides_;
};

}  // namespace talaria::host
