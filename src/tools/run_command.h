// The steps of every command: ask policy whether it may run, find the environment of its task,
// start it there, and record how it ended.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/task.h"
#include "environment/environment.h"
#include "policy/command_policy.h"
#include "tools/command_result.h"
#include "tools/tool.h"

namespace talaria::tool {

// A command of the task's session, without its text.
environment::CommandSpec command_spec(const ToolCall& call, const host::Config& config);

// `asked` as the call means it; absent: the directory of the session.
std::optional<std::string> workdir_of(const ToolCall& call, const host::Config& config,
                                      std::optional<std::string> asked = std::nullopt);

// Variables of the command itself, as NAME=value. Those that its caller chose are part of what
// policy judges.
void set_variables(environment::CommandSpec& spec, const std::vector<std::string>& variables);
void set_session_key(environment::CommandSpec& spec, const std::string& session_key);
void set_caller_variables(environment::CommandSpec& spec,
                          const std::vector<std::string>& variables);

// What policy is asked about it. `open_input`: it gets more input while it runs.
policy::CommandQuestion question_about(const ToolCall& call, const environment::CommandSpec& spec,
                                       bool open_input);

// What became of a command or of the start of a background process.
template <class Outcome>
struct Ran {
  CallFacts facts;  // without a transport if there was no environment to run it in
  Result<Outcome> outcome;
  // If it is not approved, `outcome` is an Error (denied).
  policy::Decision decision = {.approved = true};
};

using CommandRun = Ran<environment::CommandOutcome>;
using ProcessRun = Ran<environment::StartedProcess>;

// `call` outlives each of these. A call that is cancelled before its command started has the same
// outcome as one that is cancelled later.
Task<CommandRun> run_command(const ToolCall& call, environment::CommandSpec spec);

// The same for the start of a background process.
Task<ProcessRun> run_process(const ToolCall& call, environment::CommandSpec spec,
                             environment::ProcessSpec how);

// The same under an id that the caller has recorded; see Processes::start_as(). It is not
// recorded in the journal.
Task<ProcessRun> run_process_as(std::string id, const ToolCall& call, environment::CommandSpec spec,
                                environment::ProcessSpec how);

}  // namespace talaria::tool
