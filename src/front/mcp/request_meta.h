// The `_meta` of requests.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "front/mcp/mcp_protocol.h"

namespace talaria::front::mcp {

inline constexpr std::string_view kMetaVersion = "io.modelcontextprotocol/protocolVersion";
inline constexpr std::string_view kMetaCapabilities = "io.modelcontextprotocol/clientCapabilities";
inline constexpr std::string_view kMetaServerInfo = "io.modelcontextprotocol/serverInfo";
inline constexpr std::string_view kMetaSubscription = "io.modelcontextprotocol/subscriptionId";
inline constexpr std::string_view kMetaLogLevel = "io.modelcontextprotocol/logLevel";

// Reads `_meta` of `params`; an error if it is invalid, or its version is not supported.
std::optional<RpcError> read_request_meta(const json::object& params, McpRequest& request);

// All supported versions, newest first.
json::array supported_versions();

// The resources of a subscriptions/listen request.
std::vector<std::string> wanted_resources(const json::object& params);

}  // namespace talaria::front::mcp
