// The way every command takes: ask policy whether it may run, find the task's environment, run it
// there, say where it went, how long it took and how it ended, and have that written down.
#pragma once

#include <string>

#include "base/cancel.h"
#include "base/result.h"
#include "base/task.h"
#include "environment/environment.h"
#include "host/host.h"
#include "policy/command_policy.h"
#include "tools/command_result.h"
#include "tools/tool.h"

namespace talaria::tool {

// On whose behalf a command runs.
struct CommandCall {
  host::Host& host;               // outlives the call
  policy::CommandPolicy& policy;  // likewise
  std::string task;
  std::string session_key;
  CancelToken cancel;
  bool force = false;  // see CommandQuestion
};

CommandCall command_call(const ToolCall& call);

// One of the task's session, without a command.
environment::CommandSpec command_spec(const ToolCall& call, const host::Config& config);

struct CommandRun {
  CallFacts facts;  // without a transport if there was no environment to run it in
  Result<environment::CommandOutcome> outcome;
  policy::Decision decision = {.approved =
                                   true};  // if it is not approved, `outcome` is an Error (denied)
};

struct ProcessRun {
  CallFacts facts;
  Result<environment::StartedProcess> started;
  policy::Decision decision = {.approved = true};
};

// The same for a process in the background, as far as its start.
Task<ProcessRun> run_process(CommandCall call, environment::CommandSpec spec,
                             environment::ProcessSpec how);

// The same under an id that its caller has written down; see Processes::start_as(). Nobody else is told where
// it is.
Task<ProcessRun> run_process_as(std::string id, CommandCall call, environment::CommandSpec spec,
                                environment::ProcessSpec how);

// A call given up before its command started is told like one given up in the middle.
Task<CommandRun> run_command(CommandCall call, environment::CommandSpec spec);

}  // namespace talaria::tool
