// CommandVariables: the variables that commands get: the caller's, without secrets of the agent
// (child_env.h, carried_env.h), and what the embedding program adds.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/shared_texts.h"
#include "host/caller.h"
#include "host/config.h"
#include "host/passthrough.h"

namespace talaria::host {

class CommandVariables {
 public:
  // Both outlive it. Without a configuration nothing is run, so there are none then.
  CommandVariables(const Caller& caller, const Result<Config>& config);

  // NAME=value, for commands on this machine.
  const SharedTexts& child_env() const { return child_env_; }
  // For commands elsewhere.
  const SharedTexts& carried_env() const { return carried_env_; }

  // NAME=value, for every command from now on; child_env.h says how to force a name of the agent.
  void add(const std::vector<std::string>& entries);
  // See passthrough.h.
  Result<void> pass_through(std::string_view name);
  const std::set<std::string>& passthrough_names() const { return passthrough_.names(); }

 private:
  void make();
  std::vector<std::string> make_child_env() const;
  std::vector<std::string> make_carried_env() const;

  const Caller& caller_;
  const Result<Config>& config_;
  Passthrough passthrough_;
  std::vector<std::string> added_;
  SharedTexts child_env_;
  SharedTexts carried_env_;
};

}  // namespace talaria::host
