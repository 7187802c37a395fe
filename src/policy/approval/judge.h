// Judge: who says what speaks against a command. The guard, or what a test makes up.
#pragma once

#include <functional>
#include <string>

#include "host/caller.h"
#include "host/config.h"
#include "policy/guard/judgement.h"
#include "shell/definitions.h"

namespace talaria::policy {

struct JudgedCommand {
  const std::string& command;
  const std::string& cwd;      // where it would run, as far as is known
  const host::Config& config;  // of its task
  const host::Caller& caller;
  const shell::SessionDefinitions& session;  // what its words mean there, as far as is known
};

using Judge = std::function<guard::Judgement(const JudgedCommand&)>;

}  // namespace talaria::policy
