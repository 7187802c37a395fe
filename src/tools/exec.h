// Exec: a command for a person at a terminal, who sees its output as it is printed. It is run like
// that of a tool call, but without default timeout and truncation.
#pragma once

#include <talaria/command.h>
#include <talaria/process.h>

#include <chrono>
#include <memory>

#include <boost/json/object.hpp>

#include "base/cancel.h"
#include "base/task.h"
#include "tools/run_command.h"

namespace talaria::tool {

namespace json = boost::json;

// Without a task it runs in the caller's directory. A relative workdir is below that, or below the
// session's.
// `flow`: may hold up its output. Of errors that are kept apart without on_output, the outcome has
// the beginning and the end.
Task<CommandRun> exec(Services services, Command command, CancelToken cancel,
                      std::shared_ptr<OutputFlow> flow = nullptr);

// How much of its output the caller of a command gets, in characters, or bytes of raw output.
std::size_t max_output(const Command& command, const host::Config& config);

// What policy is asked about such a command, by what is known of its session.
policy::CommandQuestion question_of(Services services, Command command);

// The start of a background process for a program, as that of the `terminal` tool for a model.
// Without a task it runs in the caller's directory.
Task<ProcessRun> start_process(Services services, ProcessStart start, CancelToken cancel);

// The JSON of tools/command_result.h for what exec() returned.
json::object describe_exec(const CommandRun& run, const std::string& command,
                           const host::Settings& settings, std::chrono::milliseconds timeout);

}  // namespace talaria::tool
