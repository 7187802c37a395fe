// Compares the HTTP headers of a message with its body. Since 2026-07-28 a request has its version,
// its method and its subject in headers, too, for routers; the server must check that they match
// the body. No I/O.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "front/mcp/mcp_protocol.h"
#include "front/mcp/rpc.h"

namespace talaria::front::mcp {

using McpHeaderFields = std::map<std::string, std::string>;  // names in lower case

struct McpEnvelope {
  bool modern = false;
  // The error to answer, with the status 400.
  std::optional<RpcFlaw> flaw = {};
};

McpEnvelope read_envelope(const McpHeaderFields& headers, const RpcMessage& message,
                          const McpOffer& offer);

// Decodes "=?base64?...?="; anything else stays as it is. Nothing: invalid base64.
std::optional<std::string> decoded_header(std::string_view value);

// The HTTP status of an answer since 2026-07-28; `error` is its code, 0 for success.
int http_status_of(int error);

}  // namespace talaria::front::mcp
