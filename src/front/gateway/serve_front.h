// `talaria serve`: the gateway as a program.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/asio_runtime.h"
#include "base/task.h"
#include "front/mcp/mcp_protocol.h"
#include "front/mcp/script_keeper.h"
#include "front/stdio.h"

namespace talaria::front::gateway {

inline constexpr int kServeFailed = 1;
inline constexpr int kServeBadUsage = 2;
inline constexpr std::string_view kUsualListen = "127.0.0.1:8642";

struct ServeOptions {
  std::vector<std::string> listen;
  std::string tls_certificate;
  std::string tls_key;
  std::vector<std::string> hosts;
  std::string log = "all";
  bool insecure_plain_http = false;  // also for other machines
  std::vector<GivenSetting> settings;
};

// Runs until a stop signal, then answers the requests in progress. Commands in sandboxes keep
// running. `start_keeper`: of McpHttp. `offer`: replaces our tools for MCP clients.
Task<int> serve_front(AsioRuntime& runtime, ServeOptions options, Stdio stdio,
                      mcp::ScriptKeeper::Start start_keeper,
                      std::optional<mcp::McpOffer> offer = std::nullopt);

}  // namespace talaria::front::gateway
