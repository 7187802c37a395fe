// The tools of Talaria for MCP: with titles, annotations, and schemas of arguments and answers, in
// a fixed order. The answer of a tool becomes a result: the object (structuredContent), the same as
// text for other clients, and links to resources.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "front/mcp/mcp_protocol.h"

namespace talaria::front::mcp {

namespace json = boost::json;

// Milliseconds after which a command continues in the background, unless the call sets yield_ms.
inline constexpr std::int64_t kDefaultYieldMs = 10'000;
// Default of `process wait`; shorter than the timeouts of clients.
inline constexpr int kDefaultWaitSeconds = 30;

// Everything that Talaria offers to MCP clients. Reads the configuration: descriptions of tools
// name the limits in effect.
McpOffer product_offer();
json::array mcp_tools();

// The answer of a tool as the result of tools/call.
json::object tool_result(std::string_view tool, json::object answer);

// The result of a call that failed with this message.
json::object tool_error(std::string_view message);

// The approval that the answer waits for; nothing: none.
std::optional<std::string> pending_approval(const json::object& answer);

}  // namespace talaria::front::mcp
