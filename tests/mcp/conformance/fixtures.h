// What the official conformance suite of the Model Context Protocol wants to find in a server:
// tools, resources and prompts that do nothing but show that the protocol is spoken.
#pragma once

#include "front/mcp/mcp_protocol.h"

namespace talaria::test {

front::mcp::McpOffer fixture_offer();

}  // namespace talaria::test
