// Gateway: what is behind the HTTP server. It knows who asks and what they may, finds the route,
// and writes down what was answered. The routes themselves are in *_routes.cc.
#pragma once

#include <talaria/asio_approvals.h>
#include <talaria/asio_sandboxes.h>
#include <talaria/tokens.h>

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/event.h"
#include "base/task.h"
#include "front/gateway/http/http_server.h"
#include "front/gateway/http/served_message.h"
#include "front/gateway/metrics.h"

namespace talaria::front::gateway {

class McpHttp;

enum class GatewayLog { all, errors, off };

struct GatewayOptions {
  std::string home;
  std::string target;
  std::vector<std::string> hosts;  // names it may be called by, beside addresses and localhost
  GatewayLog log = GatewayLog::all;
  std::size_t requests_per_token = 512;  // under way at the same time
  bool https = false;                    // as clients see it: by itself or by what is before it
};

// One request on its way, with what the path says.
struct GatewayCall {
  ServedRequest request;
  TokenInfo token;
  std::string request_id;
  std::string sandbox;
  std::string exec;
  std::string approval;

  const std::string& owner() const { return token.user; }
};

class Gateway {
 public:
  using Log = std::function<void(const std::string& line)>;

  Gateway(AsioRuntime& runtime, GatewayOptions options, Log log);

  Result<void> open() { return sandboxes_.open(); }
  Result<bool> has_tokens();

  Task<ServedResponse> handle(ServedRequest request);
  // One that could not even be read.
  void complain(int status, const std::string& remote);
  // From now on it is not ready, and long waits end.
  void stop();

  // For the routes.
  AsioSandboxes& sandboxes() { return sandboxes_; }
  AsioApprovals& approvals() { return approvals_; }
  const GatewayOptions& options() const { return options_; }
  bool stopping() const { return stopping_; }
  std::string metrics_text() const;
  // Notified when it stops.
  std::set<AsyncEvent*>& waiting() { return waiting_; }
  McpHttp* mcp() { return mcp_; }  // null: not served
  void serve_mcp(McpHttp* mcp) { mcp_ = mcp; }
  void show_totals(const HttpServer* server) { server_ = server; }

 private:
  struct Answered {
    ServedResponse response;
    std::string_view route = "none";
  };
  struct Use {  // of one token
    std::size_t under_way = 0;
    double allowed = 0;  // requests, by its rate
    std::chrono::steady_clock::time_point counted;
  };

  Task<Answered> answer(GatewayCall& call);
  Result<void> check_origin(const ServedRequest& request) const;
  bool is_our_name(std::string_view host) const;
  bool is_our_origin(std::string_view origin) const;
  // Nothing: it may go on. Else how many seconds to wait.
  std::optional<int> too_many(const TokenInfo& token);
  void write_log(const GatewayCall& call, const Answered& answered,
                 std::chrono::microseconds duration);

  GatewayOptions options_;
  Log log_;
  AsioSandboxes sandboxes_;
  AsioApprovals approvals_;
  Tokens tokens_;
  Metrics metrics_;
  const HttpServer* server_ = nullptr;
  McpHttp* mcp_ = nullptr;
  std::map<std::string, Use> uses_;  // by token
  std::set<AsyncEvent*> waiting_;
  bool stopping_ = false;
};

// What a failure is in HTTP.
ServedResponse error_response(int status, std::string_view message);
ServedResponse error_response(const Error& error);
ServedResponse json_response(int status, const boost::json::value& value);

}  // namespace talaria::front::gateway
