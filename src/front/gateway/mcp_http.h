// McpHttp: serves MCP clients at /mcp (streamable HTTP). Each message is a POST. The answer is JSON
// if it is available at once, else a stream of events with all messages about that request.
//
// Clients before 2026-07-28 have sessions (Mcp-Session-Id), which end by DELETE, when idle, and
// with the gateway. Later clients have no sessions; closing the stream of a request cancels it.
// Clients of another user see none of its sessions, tasks and processes.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "api/asio_runtime.h"
#include "base/task.h"
#include "front/gateway/gateway.h"
#include "front/mcp/background_calls.h"
#include "front/mcp/mcp_session.h"
#include "front/mcp/process_news.h"
#include "front/mcp/request_state.h"
#include "front/mcp/tool_schemas.h"
#include "front/task_group.h"

namespace talaria::front::gateway {

// The session key of approvals for the MCP clients of this user.
inline std::string mcp_session_key(const std::string& user) { return "mcp:" + user; }

class McpHttp {
 public:
  // `start_keeper`: starts the program that scripts run in; null: they run, and end, with this one.
  McpHttp(const asio::any_io_executor& executor, Options options, mcp::McpOffer offer,
          mcp::ScriptKeeper::Start start_keeper);
  ~McpHttp();

  Task<ServedResponse> post(Gateway& gateway, GatewayCall& call);
  ServedResponse end_session(const GatewayCall& call);

  // Cancels all requests, and waits for their end.
  Task<void> stop();

 private:
  struct Exchange;
  struct Client;
  class Ending;
  using ClientPointer = std::shared_ptr<Client>;
  using ExchangePointer = std::shared_ptr<Exchange>;

  void prepare();
  ClientPointer make_client(const TokenInfo& token, bool lasts);
  ClientPointer find_client(const GatewayCall& call);
  void forget_idle_clients(const std::string& owner);
  void end(ClientPointer client);
  static Task<void> wait_for_end(ClientPointer client);

  Task<ServedResponse> serve(Gateway& gateway, GatewayCall& call, ClientPointer client,
                             std::string key, bool modern);
  static Task<void> stream(Gateway& gateway, ExchangePointer exchange, ServedSink sink);
  void finish(const ClientPointer& client, const ExchangePointer& exchange);

  asio::any_io_executor executor_;
  Options options_;
  mcp::McpOffer offer_;
  mcp::ScriptKeeper::Start start_keeper_;
  mcp::RequestState state_;
  std::unique_ptr<AsioRuntime> runtime_;  // created with the first client, as is the next member
  std::unique_ptr<mcp::BackgroundCalls> background_;
  std::map<std::string, std::unique_ptr<mcp::ProcessNews>> news_;  // of requests without a
                                                                   // session, by the token's id
  std::map<std::string, ClientPointer> sessions_;                  // by id
  std::map<std::string, std::size_t> under_way_;                   // requests, by the owner
  std::size_t open_ = 0;                                           // requests of all clients
  TaskGroup leaving_;  // clients with calls that have not ended
};

}  // namespace talaria::front::gateway
