// What the official conformance suite of the Model Context Protocol wants to find in a server:
// tools, resources and prompts that do nothing but show that the protocol is spoken. They are
// offered instead of ours by `talaria mcp --mcp-conformance`, for tests only.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/task.h"
#include "front/mcp/mcp_server.h"
#include "front/mcp/request_state.h"

namespace talaria::front::mcp {

McpOffer fixture_offer();

// What a fixture may do before it answers.
struct FixtureMeans {
  std::function<void(double value, double total)> progress;
  std::function<void(std::string_view text)> log;  // at level info, if the client wants to hear it
  // Asks the client; nothing if it would not. Before 2026-07-28 only.
  std::function<Task<std::optional<json::object>>(std::string method, json::object params)> ask;
  std::function<Task<void>(std::chrono::milliseconds)> pause;
  const RequestState& state;
  std::string principal;
};

Task<McpAnswer> call_fixture(const McpCall& call, const FixtureMeans& means);
McpAnswer read_fixture(const McpRead& wanted);
McpAnswer other_fixture(const McpOther& wanted);  // prompts and completions

}  // namespace talaria::front::mcp
