#include "front/mcp/mcp_headers.h"

#include <algorithm>
#include <vector>

#include <boost/json/serialize.hpp>

#include "base/base64.h"
#include "base/text.h"
#include "front/mcp/request_meta.h"
#include "json/fields.h"

namespace talaria::front::mcp {
namespace {

constexpr std::string_view kVersionHeader = "mcp-protocol-version";
constexpr std::string_view kMethodHeader = "mcp-method";
constexpr std::string_view kNameHeader = "mcp-name";
constexpr std::string_view kParamHeader = "mcp-param-";
constexpr std::string_view kEncoded = "=?base64?";
constexpr std::string_view kEncodedEnd = "?=";

std::optional<std::string> header(const McpHeaderFields& headers, std::string_view name) {
  const auto found = headers.find(std::string(name));
  if (found == headers.end()) return std::nullopt;
  return std::string(trim(found->second));
}

std::optional<std::string> version_in_body(const json::object& params) {
  const json::object* meta = object_field(params, "_meta");
  return meta ? string_in(*meta, kMetaVersion) : std::nullopt;
}

bool is_legacy(std::string_view version) {
  const auto versions = legacy_versions();
  return std::ranges::find(versions, version) != versions.end();
}

// The parameter that names the subject of a method.
std::string_view name_member(std::string_view method) {
  if (method == "tools/call" || method == "prompts/get") return "name";
  if (method == "resources/read") return "uri";
  return method.starts_with("tasks/") ? "taskId" : "";
}

RpcFlaw mismatch(const std::string& key, const std::string& what) {
  return {key, {kMcpHeaderMismatch, "Header mismatch: " + what}};
}

std::string header_text(const json::value& value) {
  return value.is_string() ? std::string(value.get_string()) : json::serialize(value);
}

// Checks the headers of arguments that the schema of a tool wants there, too ("x-mcp-header").
std::optional<RpcFlaw> check_arguments(const McpHeaderFields& headers, const RpcRequest& request,
                                       const McpOffer& offer) {
  const auto name = string_in(request.params, "name");
  const json::object* given = object_field(request.params, "arguments");
  for (const json::value& tool : offer.tools) {
    if (string_in(tool.as_object(), "name") != name) continue;
    const json::object* schema = object_field(tool.as_object(), "inputSchema");
    const json::object* properties = schema ? object_field(*schema, "properties") : nullptr;
    if (!properties) return std::nullopt;
    for (const auto& [argument, property] : *properties) {
      const auto wanted =
          property.is_object() ? string_in(property.get_object(), "x-mcp-header") : std::nullopt;
      if (!wanted) continue;
      const json::value* value = given ? given->if_contains(argument) : nullptr;
      const std::string field = std::string(kParamHeader) + lower_case(*wanted);
      const auto said = header(headers, field);
      const bool absent = !value || value->is_null();
      if (absent && !said) continue;
      if (absent || !said || decoded_header(*said) != header_text(*value)) {
        return mismatch(request.key, field + " is not the argument " + std::string(argument));
      }
    }
  }
  return std::nullopt;
}

std::optional<RpcFlaw> check_modern(const McpHeaderFields& headers, const RpcRequest& request,
                                    const McpOffer& offer) {
  if (header(headers, kMethodHeader) != request.method) {
    return mismatch(request.key, std::string(kMethodHeader) + " is not the method of the request");
  }
  if (const std::string_view about = name_member(request.method); !about.empty()) {
    const auto named = string_in(request.params, about);
    const auto said = header(headers, kNameHeader);
    if (named && (!said || decoded_header(*said) != named)) {
      return mismatch(request.key, std::string(kNameHeader) + " is not the " + std::string(about) +
                                       " of the request");
    }
  }
  return request.method == "tools/call" ? check_arguments(headers, request, offer) : std::nullopt;
}

}  // namespace

std::optional<std::string> decoded_header(std::string_view value) {
  if (!value.starts_with(kEncoded) || !value.ends_with(kEncodedEnd)) return std::string(value);
  if (value.size() < kEncoded.size() + kEncodedEnd.size()) return std::nullopt;
  value.remove_prefix(kEncoded.size());
  value.remove_suffix(kEncodedEnd.size());
  return base64_decode(value);
}

int http_status_of(int error) {
  switch (error) {
    case 0:
      return 200;
    case kRpcMethodNotFound:
      return 404;
    case kRpcInternalError:
      return 500;
    default:
      return 400;
  }
}

McpEnvelope read_envelope(const McpHeaderFields& headers, const RpcMessage& message,
                          const McpOffer& offer) {
  const auto said = header(headers, kVersionHeader);
  const auto* const request = std::get_if<RpcRequest>(&message);
  if (!request) {
    const bool modern = said && !is_legacy(*said);
    const auto* const flaw = std::get_if<RpcFlaw>(&message);
    return {modern, flaw ? std::optional(*flaw) : std::nullopt};
  }
  const auto version = version_in_body(request->params);
  if (version) {
    if (said != version) {
      return {true, mismatch(request->key, std::string(kVersionHeader) +
                                               " is not the version the request itself names")};
    }
    return {true, check_modern(headers, *request, offer)};
  }
  if (!said || is_legacy(*said)) return {false};
  if (*said == kModernVersion) {
    return {true, RpcFlaw{request->key,
                          {kRpcInvalidParams,
                           "Invalid params: _meta has no " + std::string(kMetaVersion)}}};
  }
  return {true, RpcFlaw{request->key,
                        {kMcpUnsupportedVersion,
                         "Unsupported protocol version",
                         {{"supported", supported_versions()}, {"requested", *said}}}}};
}

}  // namespace talaria::front::mcp
