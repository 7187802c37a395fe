// ConformanceHandler: answers the requests of MCP clients in place of Talaria's own tools and
// resources. Only the program for the official conformance suite has one (tests/mcp/conformance).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/task.h"
#include "front/mcp/mcp_protocol.h"
#include "front/mcp/request_state.h"

namespace talaria::front::mcp {

// What a handler can do before it answers a call.
struct McpMeans {
  std::function<void(double value, double total)> progress;
  std::function<void(std::string_view text)> log;  // at level info, if the client wants it
  // Sends a request to the client; nothing if it refuses. Only before 2026-07-28.
  std::function<Task<std::optional<json::object>>(std::string method, json::object params)> ask;
  const RequestState& state;
  std::string principal;
};

class ConformanceHandler {
 public:
  virtual ~ConformanceHandler() = default;

  // Both arguments outlive the call.
  virtual Task<McpAnswer> call(const McpCall& call, const McpMeans& means) = 0;
  virtual McpAnswer read(const McpRead& wanted) = 0;
  virtual McpAnswer other(const McpOther& wanted) = 0;
};

}  // namespace talaria::front::mcp
