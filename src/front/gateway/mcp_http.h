// McpHttp: MCP clients of the gateway, at /mcp (streamable HTTP). A message is a POST; the answer
// is JSON if it is there at once, else a stream of events that has everything said about that
// request, and ends with it.
//
// Clients of before 2026-07-28 have sessions (Mcp-Session-Id), which end by DELETE, by disuse and
// with the gateway. Later ones have none: each request stands for itself, and closing its stream
// cancels it. Whoever has another token's user sees nothing of it: neither sessions nor tasks nor
// processes.
#pragma once

#include <talaria/asio.h>

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "base/task.h"
#include "front/gateway/gateway.h"
#include "front/mcp/kept_calls.h"
#include "front/mcp/mcp_offer.h"
#include "front/mcp/mcp_session.h"
#include "front/mcp/request_state.h"
#include "front/task_group.h"

namespace talaria::front::gateway {

// Who asks, of questions about commands of this user's MCP clients.
inline std::string mcp_session_key(const std::string& user) { return "mcp:" + user; }

class McpHttp {
 public:
  McpHttp(const asio::any_io_executor& executor, Options options, mcp::McpOffer offer);
  ~McpHttp();

  Task<ServedResponse> post(Gateway& gateway, GatewayCall& call);
  ServedResponse end_session(const GatewayCall& call);

  // Cancels what is under way, and waits for its end.
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
  static Task<void> farewell(ClientPointer client);

  Task<ServedResponse> serve(Gateway& gateway, GatewayCall& call, ClientPointer client,
                             std::string key, bool modern);
  static Task<void> stream(Gateway& gateway, ExchangePointer exchange, ServedSink sink);
  void finish(const ClientPointer& client, const ExchangePointer& exchange);

  asio::any_io_executor executor_;
  Options options_;
  mcp::McpOffer offer_;
  mcp::RequestState state_;
  std::unique_ptr<AsioRuntime> runtime_;  // made for the first client, as the next one
  std::unique_ptr<mcp::KeptCalls> kept_;
  std::map<std::string, ClientPointer> sessions_;  // by id
  std::map<std::string, std::size_t> under_way_;   // requests, by the owner
  std::size_t open_ = 0;                           // requests of all
  TaskGroup leaving_;                              // clients whose calls have not ended
};

}  // namespace talaria::front::gateway
