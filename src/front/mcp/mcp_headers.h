// What the headers of a message over HTTP say, held against its body. Since 2026-07-28 a request
// names its version, its method and what it is about in headers too, for those who route by them;
// whoever acts on the body must see that both say the same. No I/O.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "front/mcp/mcp_server.h"
#include "front/mcp/rpc.h"

namespace talaria::front::mcp {

using McpHeaderFields = std::map<std::string, std::string>;  // names in lower case

struct McpEnvelope {
  bool modern = false;
  // Not to be acted on: what to answer, with the status 400.
  std::optional<RpcFlaw> flaw = {};
};

McpEnvelope read_envelope(const McpHeaderFields& headers, const RpcMessage& message,
                          const McpOffer& offer);

// "=?base64?...?=" is what it encodes, everything else itself; nothing if it encodes nothing.
std::optional<std::string> decoded_header(std::string_view value);

// The status of an answer since 2026-07-28; `error` is its code, 0: it is none.
int http_status_of(int error);

}  // namespace talaria::front::mcp
