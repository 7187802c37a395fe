#include "front/gateway/routes.h"

#include <array>
#include <map>
#include <optional>

#include "base/text.h"

namespace talaria::front::gateway {
namespace {

constexpr auto kRoutes = std::to_array<Route>({
    {"POST", "/v1/sandboxes", create_sandbox},
    {"GET", "/v1/sandboxes", list_sandboxes},
    {"GET", "/v1/sandboxes/{sandbox}", show_sandbox},
    {"POST", "/v1/sandboxes/{sandbox}/terminate", terminate_sandbox},
    {"POST", "/v1/sandboxes/{sandbox}/execs", start_exec},
    {"GET", "/v1/sandboxes/{sandbox}/execs", list_execs},
    {"GET", "/v1/sandboxes/{sandbox}/execs/{exec}", poll_exec},
    {"POST", "/v1/sandboxes/{sandbox}/execs/{exec}/cancel", cancel_exec},
    {"POST", "/v1/sandboxes/{sandbox}/execs/{exec}/stdin", write_exec},
    {"POST", "/v1/sandboxes/{sandbox}/execs/{exec}/signal", signal_exec},
    {"GET", "/v1/sandboxes/{sandbox}/execs/{exec}/output", stream_exec},
    {"GET", "/v1/lines", serve_json_lines},
    {"GET", "/v1/approvals", list_approvals},
    {"POST", "/v1/approvals/{approval}", answer_approval},
    {"POST", kMcpPath, post_mcp},
    {"DELETE", kMcpPath, end_mcp_session},
    {"GET", "/.well-known/oauth-protected-resource", show_mcp_resource, true},
    {"GET", "/.well-known/oauth-protected-resource/mcp", show_mcp_resource, true},
    {"GET", "/healthz", show_health, true},
    {"GET", "/readyz", show_readiness, true},
    {"GET", "/openapi.json", show_openapi, true},
    {"GET", "/metrics", show_metrics},
});

using PathNames = std::map<std::string_view, std::string>;  // "{sandbox}" and its value

std::optional<PathNames> match(std::string_view pattern, const std::vector<std::string>& segments) {
  PathNames names;
  pattern.remove_prefix(1);
  std::size_t at = 0;
  while (!pattern.empty()) {
    const std::string_view part = next_word(pattern, '/');
    if (at == segments.size()) return std::nullopt;
    const std::string& segment = segments[at++];
    const bool is_name = part.starts_with('{');
    if (is_name ? segment.empty() : segment != part) return std::nullopt;
    if (is_name) names[part] = segment;
  }
  return at == segments.size() ? std::optional(names) : std::nullopt;
}

}  // namespace

std::span<const Route> all_routes() { return kRoutes; }

FoundRoute find_route(GatewayCall& call) {
  FoundRoute found;
  for (const Route& route : kRoutes) {
    auto names = match(route.pattern, call.request.segments);
    if (!names) continue;
    found.allowed += (found.allowed.empty() ? "" : ", ") + std::string(route.method);
    if (route.method != call.request.method) continue;
    found.route = &route;
    call.sandbox = (*names)["{sandbox}"];
    call.exec = (*names)["{exec}"];
    call.approval = (*names)["{approval}"];
  }
  return found;
}

}  // namespace talaria::front::gateway
