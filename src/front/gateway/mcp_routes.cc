// The routes of MCP clients.
#include <boost/json/array.hpp>

#include "front/gateway/mcp_http.h"
#include "front/gateway/routes.h"

namespace talaria::front::gateway {
namespace {

namespace json = boost::json;

// The URL that the client used; foreign host names were rejected before.
std::string base_url(const Gateway& gateway, const GatewayCall& call) {
  return (gateway.options().https ? "https://" : "http://") + call.request.header("host");
}

}  // namespace

Task<ServedResponse> post_mcp(Gateway& gateway, GatewayCall& call) {
  if (!gateway.mcp()) co_return error_response(404, "MCP is not served here");
  co_return co_await gateway.mcp()->post(gateway, call);
}

Task<ServedResponse> end_mcp_session(Gateway& gateway, GatewayCall& call) {
  if (!gateway.mcp()) co_return error_response(404, "MCP is not served here");
  co_return gateway.mcp()->end_session(call);
}

Task<ServedResponse> show_mcp_resource(Gateway& gateway, GatewayCall& call) {
  co_return json_response(
      200, json::object{{"resource", base_url(gateway, call) + std::string(kMcpPath)},
                        {"resource_name", "Talaria"},
                        {"bearer_methods_supported", json::array{"header"}}});
}

std::string mcp_challenge(const Gateway& gateway, const GatewayCall& call) {
  return "Bearer resource_metadata=\"" + base_url(gateway, call) +
         "/.well-known/oauth-protected-resource" + std::string(kMcpPath) + "\"";
}

}  // namespace talaria::front::gateway
