#include "front/mcp/request_meta.h"

#include <algorithm>
#include <utility>

#include "json/fields.h"

namespace talaria::front::mcp {
namespace {

constexpr std::size_t kMaxTraceBytes = 1024;
constexpr std::size_t kMaxBaggageBytes = 8192;

bool is_printable(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~'; });
}

// W3C trace context: the command belongs to the same trace.
void add_trace(const json::object& meta, std::vector<std::string>& variables) {
  const struct {
    std::string_view name;
    std::string_view variable;
    std::size_t max;
  } known[] = {{"traceparent", "TRACEPARENT", kMaxTraceBytes},
               {"tracestate", "TRACESTATE", kMaxTraceBytes},
               {"baggage", "BAGGAGE", kMaxBaggageBytes}};
  for (const auto& [name, variable, max] : known) {
    const std::string text = text_field(meta, name);
    if (text.empty() || text.size() > max || !is_printable(text)) continue;
    variables.push_back(std::string(variable) + "=" + text);
  }
}

std::optional<RpcError> read_version(const json::object& meta, McpRequest& request) {
  const json::value* version = meta.if_contains(kMetaVersion);
  if (!version) return std::nullopt;
  if (!version->is_string()) {
    return RpcError{kRpcInvalidParams,
                    "Invalid params: " + std::string(kMetaVersion) + ": expected a string"};
  }
  if (version->get_string() != kModernVersion) {
    return RpcError{kMcpUnsupportedVersion,
                    "Unsupported protocol version",
                    {{"supported", supported_versions()}, {"requested", version->get_string()}}};
  }
  request.modern = true;
  const json::object* capabilities = object_field(meta, kMetaCapabilities);
  if (!capabilities) {
    return RpcError{kRpcInvalidParams,
                    "Invalid params: _meta lacks " + std::string(kMetaCapabilities)};
  }
  request.capabilities = *capabilities;
  return std::nullopt;
}

}  // namespace

std::optional<RpcError> read_request_meta(const json::object& params, McpRequest& request) {
  const json::object* meta = object_field(params, "_meta");
  if (!meta) return std::nullopt;
  if (auto error = read_version(*meta, request)) return error;
  const json::value* token = meta->if_contains("progressToken");
  if (token && is_rpc_id(*token)) request.progress_token = *token;
  if (request.modern) request.log_level = text_field(*meta, kMetaLogLevel);
  add_trace(*meta, request.variables);
  return std::nullopt;
}

json::array supported_versions() {
  json::array versions{kModernVersion};
  for (const std::string_view version : legacy_versions()) versions.emplace_back(version);
  return versions;
}

std::vector<std::string> wanted_resources(const json::object& params) {
  std::vector<std::string> wanted;
  const json::object* filter = object_field(params, "notifications");
  const json::value* list = filter ? filter->if_contains("resourceSubscriptions") : nullptr;
  if (!list || !list->is_array()) return wanted;
  for (const json::value& uri : list->get_array()) {
    if (uri.is_string() && wanted.size() < kMaxListenedResources) {
      wanted.emplace_back(uri.get_string());
    }
  }
  return wanted;
}

}  // namespace talaria::front::mcp
