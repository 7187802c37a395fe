// The commands about processes, each of which is a coroutine on the loop of the runtime.
#pragma once

#include <talaria/asio.h>

#include "base/task.h"
#include "front/cli/process/process_options.h"
#include "front/stdio.h"

namespace talaria::front::cli {

// `talaria start`: the terminal tool in the background, for a person.
Task<int> start_front(AsioRuntime& runtime, StartOptions options, Stdio stdio);
Task<int> ps_front(AsioRuntime& runtime, PsOptions options, Stdio stdio);
// Output byte for byte. A stop signal ends it, with 128+N if it follows.
Task<int> logs_front(AsioRuntime& runtime, LogsOptions options, Stdio stdio);
// The process's exit code if it ends; 0 after the detach keys.
Task<int> attach_front(AsioRuntime& runtime, AttachOptions options, Stdio stdio);
Task<int> kill_front(AsioRuntime& runtime, KillOptions options, Stdio stdio);
// The exit code of the last one; kWaitTimedOut.
inline constexpr int kWaitTimedOut = 124;
Task<int> wait_front(AsioRuntime& runtime, WaitOptions options, Stdio stdio);
Task<int> events_front(AsioRuntime& runtime, EventsOptions options, Stdio stdio);

}  // namespace talaria::front::cli
