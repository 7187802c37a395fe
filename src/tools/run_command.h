// The way every command takes: find the task's environment, run the command there, and say where it
// went, how long it took and how it ended.
#pragma once

#include <string>

#include "base/cancel.h"
#include "base/result.h"
#include "base/task.h"
#include "environment/environment.h"
#include "host/host.h"
#include "tools/command_result.h"

namespace talaria {

struct CommandRun {
  CallFacts facts;  // without a transport if there was no environment to run it in
  Result<CommandOutcome> outcome;
};

struct ProcessRun {
  CallFacts facts;
  Result<StartedProcess> started;
};

// The same for a process in the background, as far as its start.
Task<ProcessRun> run_process(Host& host, std::string task, CommandSpec spec, ProcessSpec how,
                             CancelToken cancel);

// A call given up before its command started is told like one given up in the middle.
Task<CommandRun> run_command(Host& host, std::string task, CommandSpec spec, CancelToken cancel);

}  // namespace talaria
