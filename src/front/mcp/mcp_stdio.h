// `talaria mcp`: serves one MCP client over standard input and output, one message per line.
// Nothing else is written there.
//
// When the client closes its end, calls in progress are cancelled; background processes keep
// running in their runner, and scripts that have a handle in this program.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "api/asio_runtime.h"
#include "base/task.h"
#include "front/stdio.h"

namespace talaria::front::mcp {

struct McpOptions {
  std::string task;  // empty: a new one
  std::vector<GivenSetting> settings;
};

// Returns the exit code: 0, 1 if the client stopped reading, 128+N after signal N. `runtime` must
// outlive it. `leave_client` is called with the code before the end if scripts still run: the
// program then outlives the process that the client started. If it is null, they are ended.
Task<int> serve_mcp(AsioRuntime& runtime, McpOptions options, Stdio stdio,
                    std::function<void(int exit_code)> leave_client);

}  // namespace talaria::front::mcp
