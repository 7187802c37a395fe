// What requests say of themselves: `_meta` of 2026-07-28, and what a client can do.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "front/mcp/mcp_server.h"

namespace talaria::front::mcp {

inline constexpr std::string_view kMetaVersion = "io.modelcontextprotocol/protocolVersion";
inline constexpr std::string_view kMetaCapabilities = "io.modelcontextprotocol/clientCapabilities";
inline constexpr std::string_view kMetaServerInfo = "io.modelcontextprotocol/serverInfo";
inline constexpr std::string_view kMetaSubscription = "io.modelcontextprotocol/subscriptionId";
inline constexpr std::string_view kMetaLogLevel = "io.modelcontextprotocol/logLevel";

// Fills in what `_meta` of `params` says; an error if it makes no sense, or is of a version that we
// do not know.
std::optional<RpcError> read_request_meta(const json::object& params, McpRequest& request);

// Every version there is, the newest first.
json::array supported_versions();

// What a subscriptions/listen request wants to hear of.
std::vector<std::string> wanted_resources(const json::object& params);

}  // namespace talaria::front::mcp
