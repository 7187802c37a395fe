// Judge: finds the rules that a command matches. The guard, or a function of a test.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "host/caller.h"
#include "host/config.h"
#include "policy/guard/context.h"
#include "policy/guard/judgement.h"
#include "shell/definitions.h"

namespace talaria::policy {

struct JudgedCommand {
  const std::string& command;
  const guard::StartInput& input;
  const std::vector<std::string>& variables;  // NAME=value, that its caller chose
  const host::Config& config;                 // of its task
  const host::Caller& caller;
  const shell::SessionDefinitions& session;  // what it makes of the command, as far as is known
  bool program = false;                      // it is a program of Python, not shell text
};

// Without a state of its own: a long text is judged beside the event loop.
using Judge = std::function<guard::Judgement(const JudgedCommand&)>;

}  // namespace talaria::policy
