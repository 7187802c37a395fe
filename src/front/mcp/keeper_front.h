// The program that runs the scripts of a gateway (`talaria keep-scripts`, started by it). It
// answers a ScriptKeeper on standard input and output. At the end of its input, it ends the calls
// that a client still waits for. Those that continue run to their end; then it ends.
#pragma once

#include <functional>
#include <vector>

#include "api/asio_runtime.h"
#include "base/task.h"
#include "front/stdio.h"

namespace talaria::front::mcp {

struct KeeperOptions {
  std::vector<GivenSetting> settings;
};

// Returns the exit code, as serve_mcp() does. `runtime` outlives it.
Task<int> serve_keeper(AsioRuntime& runtime, Stdio stdio,
                       std::function<void(int exit_code)> leave_client);

}  // namespace talaria::front::mcp
