#include "front/mcp/request_meta.h"

#include <algorithm>
#include <utility>

namespace talaria::front::mcp {
namespace {

constexpr std::size_t kMaxTraceBytes = 1024;
constexpr std::size_t kMaxBaggageBytes = 8192;

const json::object* object_in(const json::object& outer, std::string_view name) {
  const json::value* value = outer.if_contains(name);
  return value ? value->if_object() : nullptr;
}

bool is_printable(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~'; });
}

// W3C trace context, so that what a command does belongs to the same trace.
void add_trace(const json::object& meta, std::vector<std::string>& variables) {
  const struct {
    std::string_view name;
    std::string_view variable;
    std::size_t max;
  } known[] = {{"traceparent", "TRACEPARENT", kMaxTraceBytes},
               {"tracestate", "TRACESTATE", kMaxTraceBytes},
               {"baggage", "BAGGAGE", kMaxBaggageBytes}};
  for (const auto& [name, variable, max] : known) {
    const json::value* value = meta.if_contains(name);
    if (!value || !value->is_string()) continue;
    const std::string_view text = value->get_string();
    if (text.empty() || text.size() > max || !is_printable(text)) continue;
    variables.push_back(std::string(variable) + "=" + std::string(text));
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
  const json::object* capabilities = object_in(meta, kMetaCapabilities);
  if (!capabilities) {
    return RpcError{kRpcInvalidParams,
                    "Invalid params: _meta lacks " + std::string(kMetaCapabilities)};
  }
  request.capabilities = *capabilities;
  return std::nullopt;
}

}  // namespace

std::optional<RpcError> read_request_meta(const json::object& params, McpRequest& request) {
  const json::object* meta = object_in(params, "_meta");
  if (!meta) return std::nullopt;
  if (auto error = read_version(*meta, request)) return error;
  const json::value* token = meta->if_contains("progressToken");
  if (token && is_rpc_id(*token)) request.progress_token = *token;
  const json::value* level = meta->if_contains(kMetaLogLevel);
  if (request.modern && level && level->is_string()) request.log_level = level->get_string();
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
  const json::object* filter = object_in(params, "notifications");
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
