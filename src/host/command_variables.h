// CommandVariables: the variables that commands get: the caller's, without secrets of the agent
// (child_env.h, carried_env.h), and what the embedding program adds.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "host/caller.h"
#include "host/config.h"
#include "host/passthrough.h"

namespace talaria::host {

class CommandVariables {
 public:
  // Both outlive it. Without a configuration nothing is run, so there are none then.
  CommandVariables(const Caller& caller, const Result<Config>& config);

  // NAME=value, for commands on this machine.
  const std::vector<std::string>& child_env() const { return child_env_; }
  // For commands elsewhere.
  std::vector<std::string> carried_env() const;

  // NAME=value, for every command from now on; child_env.h says how to force a name of the agent.
  void add(const std::vector<std::string>& entries);
  // See passthrough.h.
  Result<void> pass_through(std::string_view name);
  const std::set<std::string>& passthrough_names() const { return passthrough_.names(); }

 private:
  std::vector<std::string> make_child_env() const;

  const Caller& caller_;
  const Result<Config>& config_;
  Passthrough passthrough_;
  std::vector<std::string> added_;
  std::vector<std::string> child_env_;
};

}  // namespace talaria::host
