// Judge: who says what speaks against a command. The guard, or what a test makes up.
#pragma once

#include <functional>
#include <string>

#include "host/caller.h"
#include "host/config.h"
#include "policy/guard/judgement.h"
#include "shell/definitions.h"

namespace talaria {

struct JudgedCommand {
  const std::string& command;
  const std::string& cwd;  // where it would run, as far as is known
  const Config& config;    // of its task
  const Caller& caller;
  const SessionDefinitions& session;  // what its words mean there, as far as is known
};

using Judge = std::function<Judgement(const JudgedCommand&)>;

}  // namespace talaria
