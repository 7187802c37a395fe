// Host: which environment serves a task. Environments are made when a task first needs one and
// shared by all tasks that have no reason to be apart. A target that was asked for and cannot be
// had is an error that names it; nothing ever runs somewhere else instead.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/task.h"
#include "environment/environment.h"
#include "host/caller.h"
#include "host/config.h"
#include "host/hooks.h"

namespace talaria {

// A kind of target this program can serve.
struct Backend {
  std::string name;  // as in TERMINAL_ENV
  std::function<Result<std::unique_ptr<Environment>>(const Config&)> make;
};

// The session of a call that names no task.
inline constexpr std::string_view kDefaultTask = "default";

class Host {
 public:
  // `config` may be an error: then every call is answered with it, and none is run.
  Host(Caller caller, Result<Config> config, std::vector<Backend> backends);

  const Caller& caller() const { return caller_; }
  const Result<Config>& config() const { return config_; }
  const std::string& target() const { return target_; }  // the one asked for, served or not
  const std::vector<std::string>& child_env() const { return child_env_; }
  Hooks& hooks() { return hooks_; }

  // The environment of `task`, made now if it is not there yet. A caller keeps the pointer for as
  // long as its command runs.
  Task<Result<std::shared_ptr<Environment>>> environment(std::string task);

  // Those that exist, by id.
  const std::map<std::string, std::shared_ptr<Environment>>& environments() const {
    return environments_;
  }

 private:
  Result<std::shared_ptr<Environment>> make(const Config& config) const;

  Caller caller_;
  Result<Config> config_;
  std::string target_;
  std::vector<Backend> backends_;
  std::vector<std::string> child_env_;
  Hooks hooks_;
  std::map<std::string, std::shared_ptr<Environment>> environments_;
};

}  // namespace talaria
