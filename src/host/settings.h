// Settings: the configuration of this program, and that of each task, which an override may change
// (task_override.h). Overrides that other programs stored in the home count as well.
//
// A Config is large and never copied for a call: it is shared.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/object.hpp>

#include "base/result.h"
#include "host/caller.h"
#include "host/command_variables.h"
#include "host/config.h"
#include "host/override_store.h"
#include "host/runner_choice.h"
#include "host/task_override.h"

namespace talaria::host {

using ConfigPtr = std::shared_ptr<const Config>;

// Where an override sends the session of a task.
struct SessionMove {
  std::string directory;
  std::string id;  // of the override
};

class Settings {
 public:
  // `config` may be an error: then every call is answered with it, and none is run. `look`: how the
  // file of stored overrides is looked at.
  Settings(Caller caller, Result<Config> config, OverrideStore::Look look = OverrideStore::by_path);
  Settings(const Settings&) = delete;
  Settings& operator=(const Settings&) = delete;

  const Caller& caller() const { return caller_; }
  // Without any override.
  const Result<Config>& config() const { return *config_; }
  const std::string& target() const { return target_; }  // the one asked for, served or not

  // The configuration of `task`. Looks at the file of stored overrides: a call asks once and
  // passes the answer on.
  Result<ConfigPtr> of(const std::string& task);

  // Of one task, as of the last look.
  std::string target_of(const std::string& task) const;
  // Whether an override says where the task starts.
  bool has_override_cwd(const std::string& task) const { return overrides_.has_directory(task); }
  // The environment that serves it, and what that is called in the store, which also knows
  // environments of other targets.
  std::string environment_id(const std::string& task) const;
  // Which runner of target local serves it: RunnerChoice::directory_of().
  std::string runner_of(const std::string& environment_id) const;
  std::string environment_key(const std::string& task) const;
  // Of one that exists.
  std::string environment_key(std::string_view target, const std::string& id) const;
  // The configuration that `task` would have at another target, and the key of an environment with
  // such a configuration.
  Result<ConfigPtr> at_target(const std::string& task, const std::string& target) const;
  static std::string environment_key(const Config& config, const std::string& id);
  // `error`, with the override of the task that caused it, if there is one.
  Error explained(const std::string& task, const Error& error) const;

  // From now on these flags count before everything else, and one that has no value no longer does.
  // An Error: the configuration would be invalid; nothing is changed.
  struct Change {
    std::string_view setting;          // its name()
    std::optional<std::string> value;  // absent: as it was before there was a change
    bool of_environment = false;       // those that exist do not fit it
  };
  Result<void> change(const std::vector<Change>& changes);

  // Replaces what was said for `task` before; task_override.h has the keys. A task without an
  // override has that of the default task. Nothing said here: what override_store.h holds for it.
  Result<void> override_task(const std::string& task, const boost::json::object& overrides);
  void clear_override(const std::string& task);
  // Those in effect, by task, with the same keys.
  boost::json::object overrides() const { return overrides_.describe(); }
  // Called with the id of each environment that does not fit the overrides any more.
  void on_misfit(std::function<void(const std::string& id)> listener);

  // Where an override wants the session of `task` to go with the command that is started now.
  // end_move() says whether it went; until then no other command takes it along.
  std::optional<SessionMove> begin_move(const std::string& task);
  void end_move(const std::string& task, const SessionMove& move, bool went);

  // What commands inherit.
  CommandVariables& variables() { return variables_; }

 private:
  Result<ConfigPtr> known(const std::string& task) const;
  void changed(const std::vector<std::string>& misfits);
  const RunnerChoice& runners() const;

  Caller caller_;
  std::shared_ptr<const Result<Config>> config_;
  // Those that were changed, oldest first: some who work may still use one.
  std::vector<std::shared_ptr<const Result<Config>>> former_;
  std::map<std::string_view, std::string> changed_;  // by setting
  std::string target_;
  OverrideStore stored_overrides_;
  TaskOverrides overrides_;
  mutable std::map<std::string, ConfigPtr> overridden_;  // by task; made when asked for
  std::function<void(const std::string& id)> on_misfit_ = [](const std::string&) {};
  CommandVariables variables_;
  mutable std::optional<RunnerChoice> runners_;  // decided when a task at target local needs one
};

}  // namespace talaria::host
