// Every route. To add one: a row in the table, a function in the file of its theme, and its
// description in openapi_paths.cc (a test compares them).
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "front/gateway/gateway.h"

namespace talaria::front::gateway {

using RouteHandler = Task<ServedResponse> (*)(Gateway& gateway, GatewayCall& call);

struct Route {
  std::string_view method;
  std::string_view pattern;  // "/v1/sandboxes/{sandbox}"
  RouteHandler handler;
  bool open = false;  // needs no token
};

std::span<const Route> all_routes();

struct FoundRoute {
  const Route* route = nullptr;  // null: unknown path, or another method
  std::string allowed;           // the methods of the path; empty: unknown path
};

// Also sets the names in the path.
FoundRoute find_route(GatewayCall& call);

Task<ServedResponse> create_sandbox(Gateway& gateway, GatewayCall& call);
Task<ServedResponse> list_sandboxes(Gateway& gateway, GatewayCall& call);
Task<ServedResponse> show_sandbox(Gateway& gateway, GatewayCall& call);
Task<ServedResponse> terminate_sandbox(Gateway& gateway, GatewayCall& call);

Task<ServedResponse> start_exec(Gateway& gateway, GatewayCall& call);
Task<ServedResponse> list_execs(Gateway& gateway, GatewayCall& call);
Task<ServedResponse> poll_exec(Gateway& gateway, GatewayCall& call);
Task<ServedResponse> cancel_exec(Gateway& gateway, GatewayCall& call);
Task<ServedResponse> write_exec(Gateway& gateway, GatewayCall& call);
Task<ServedResponse> signal_exec(Gateway& gateway, GatewayCall& call);
Task<ServedResponse> stream_exec(Gateway& gateway, GatewayCall& call);

Task<ServedResponse> serve_json_lines(Gateway& gateway, GatewayCall& call);

Task<ServedResponse> list_approvals(Gateway& gateway, GatewayCall& call);
Task<ServedResponse> answer_approval(Gateway& gateway, GatewayCall& call);

inline constexpr std::string_view kMcpPath = "/mcp";
Task<ServedResponse> post_mcp(Gateway& gateway, GatewayCall& call);
Task<ServedResponse> end_mcp_session(Gateway& gateway, GatewayCall& call);
// Tells a client without a token how to authenticate (RFC 9728).
Task<ServedResponse> show_mcp_resource(Gateway& gateway, GatewayCall& call);
std::string mcp_challenge(const Gateway& gateway, const GatewayCall& call);

Task<ServedResponse> show_health(Gateway& gateway, GatewayCall& call);
Task<ServedResponse> show_readiness(Gateway& gateway, GatewayCall& call);
Task<ServedResponse> show_metrics(Gateway& gateway, GatewayCall& call);
Task<ServedResponse> show_openapi(Gateway& gateway, GatewayCall& call);

}  // namespace talaria::front::gateway
