#include "host/command_variables.h"

#include "host/carried_env.h"
#include "host/child_env.h"

namespace talaria::host {

CommandVariables::CommandVariables(const Caller& caller, const Result<Config>& config)
    : caller_(caller),
      config_(config),
      passthrough_(config ? config->env_passthrough : Passthrough()) {
  make();
}

void CommandVariables::make() {
  child_env_ = make_child_env();
  carried_env_ = make_carried_env();
}

std::vector<std::string> CommandVariables::make_child_env() const {
  if (!config_) return {};
  ChildEnvOptions options{
      .home = {.mode = config_->home_mode, .profile_home = config_->home + "/home"},
      .passed = passthrough_.names()};
  if (config_->sources) {
    options.added = passthrough_.values(config_->sources->env_file, caller_);
  }
  options.added.insert(options.added.end(), added_.begin(), added_.end());
  return talaria::host::child_env(caller_, options);
}

std::vector<std::string> CommandVariables::make_carried_env() const {
  if (!config_) return {};
  CarriedEnvOptions options{
      .passthrough = passthrough_, .forwarded = config_->docker.forward_env, .added = added_};
  if (config_->sources) options.env_file = config_->sources->env_file;
  return talaria::host::carried_env(caller_, options);
}

void CommandVariables::add(const std::vector<std::string>& entries) {
  added_.insert(added_.end(), entries.begin(), entries.end());
  make();
}

Result<void> CommandVariables::pass_through(std::string_view name) {
  const Result<void> added = passthrough_.add(name);
  if (added) make();
  return added;
}

}  // namespace talaria::host
