// `talaria mcp`: serves one MCP client over standard input and output, one message per line.
// Nothing else is ever written there.
//
// At the end of input, or of the client, calls under way are cancelled; what runs in the background
// goes on in its runner.
#pragma once

#include <talaria/asio.h>

#include <string>
#include <vector>

#include "base/task.h"
#include "front/stdio.h"

namespace talaria::front::mcp {

struct McpOptions {
  std::string task;  // instead of one of its own
  std::vector<GivenSetting> settings;
};

// Returns the exit code: 0, 1 if the client stopped reading, 128+N after signal N. `runtime` must
// outlive it.
Task<int> serve_mcp(AsioRuntime& runtime, McpOptions options, Stdio stdio);

}  // namespace talaria::front::mcp
