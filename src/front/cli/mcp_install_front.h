// `talaria mcp install`: our MCP server in the configuration of a client.
#pragma once

#include "front/cli/command_line.h"

namespace talaria::front::cli {

int mcp_install_front(const McpInstallOptions& options, const Stdio& stdio);

}  // namespace talaria::front::cli
