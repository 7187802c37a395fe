// `talaria mcp`: serves one MCP client over standard input and output, one message per line.
// Nothing else is written there.
//
// When the client closes its end, calls in progress are cancelled; background processes keep
// running in their runner.
#pragma once

#include <talaria/asio.h>

#include <string>
#include <vector>

#include "base/task.h"
#include "front/stdio.h"

namespace talaria::front::mcp {

struct McpOptions {
  std::string task;  // empty: a new one
  std::vector<GivenSetting> settings;
};

// Returns the exit code: 0, 1 if the client stopped reading, 128+N after signal N. `runtime` must
// outlive it.
Task<int> serve_mcp(AsioRuntime& runtime, McpOptions options, Stdio stdio);

}  // namespace talaria::front::mcp
