// Judge: finds the rules that a command matches. The guard, or a function of a test.
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
  const shell::SessionDefinitions& session;  // its aliases and functions, as far as is known
  bool program = false;                      // it is a program of Python, not shell text
};

using Judge = std::function<guard::Judgement(const JudgedCommand&)>;

}  // namespace talaria::policy
