// What Talaria offers to MCP clients.
#pragma once

#include "front/mcp/mcp_server.h"

namespace talaria::front::mcp {

// Reads the configuration: descriptions of tools name limits that hold.
McpOffer product_offer();

}  // namespace talaria::front::mcp
