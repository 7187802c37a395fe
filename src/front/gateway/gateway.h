// Gateway: handles the requests of the HTTP server. It authenticates the client, finds the route,
// and logs the answer. The routes are in *_routes.cc.
#pragma once

#include <talaria/tokens.h>

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "api/asio_approvals.h"
#include "api/asio_sandboxes.h"
#include "base/event.h"
#include "base/task.h"
#include "front/gateway/http/http_server.h"
#include "front/gateway/http/served_message.h"
#include "front/gateway/metrics.h"

namespace talaria::front::gateway {

class McpHttp;
struct Route;

enum class GatewayLog { all, errors, off };

struct GatewayOptions {
  std::string home;
  std::string target;
  std::vector<std::string> hosts;  // its host names, besides addresses and localhost
  GatewayLog log = GatewayLog::all;
  std::size_t requests_per_token = 512;  // at the same time
  bool https = false;                    // as clients see it: from us, or from a proxy
};

// A request, with the names in its path.
struct GatewayCall {
  ServedRequest request;
  TokenInfo token;
  std::string request_id;
  std::string sandbox;
  std::string exec;
  std::string approval;
  bool from_command = false;  // the client was started by a command, and may approve nothing

  const std::string& owner() const { return token.user; }
};

class Gateway {
 public:
  using Log = std::function<void(const std::string& line)>;

  Gateway(AsioRuntime& runtime, GatewayOptions options, Log log);

  Result<void> open() { return sandboxes_.open(); }
  Result<bool> has_tokens();

  // Authenticates the client and finds the route, by the headers of a request.
  Reception receive(const ServedRequest& head);
  // Logs a request that could not be parsed.
  void log_broken_request(int status, const std::string& remote);
  // Ends long waits; from now on the gateway is not ready.
  void stop();

  // Why another request of a WebSocket may not be made now: its token was revoked, or has too many.
  std::optional<Error> refusal(GatewayCall& call);

  // For the routes.
  AsioRuntime& runtime() { return runtime_; }
  AsioSandboxes& sandboxes() { return sandboxes_; }
  AsioApprovals& approvals() { return approvals_; }
  const GatewayOptions& options() const { return options_; }
  bool stopping() const { return stopping_; }
  // Whether the target answers, as of the last few seconds. It is asked once at a time.
  Task<Result<void>> reach_target();
  std::string metrics_text() const;
  // Events that are notified when it stops.
  std::set<AsyncEvent*>& waiting() { return waiting_; }
  McpHttp* mcp() { return mcp_; }  // null: not served
  void serve_mcp(McpHttp* mcp) { mcp_ = mcp; }
  void show_totals(const HttpServer* server) { server_ = server; }

 private:
  using Clock = std::chrono::steady_clock;

  struct Answered {
    ServedResponse response;
    std::string_view route = "none";
  };
  struct Use {  // of one token
    std::size_t under_way = 0;
    double rate = 0;     // requests per minute, as counted below
    double allowed = 0;  // requests that the rate still allows
    Clock::time_point counted;
  };

  struct Admission {
    const Route* route = nullptr;
    std::optional<Answered> refused;
  };
  // Counts a running request of a token.
  class UnderWay {
   public:
    explicit UnderWay(std::size_t& count) : count_(count) { ++count_; }
    UnderWay(const UnderWay&) = delete;
    UnderWay& operator=(const UnderWay&) = delete;
    ~UnderWay() { --count_; }

   private:
    std::size_t& count_;
  };

  Admission admit(GatewayCall& call);
  Task<ServedResponse> answer(std::shared_ptr<GatewayCall> call, const Route& route,
                              std::shared_ptr<UnderWay> under_way, Clock::time_point begun);
  // Counts and logs the answer.
  ServedResponse finish(const GatewayCall& call, Answered answered, Clock::time_point begun);
  Result<void> check_origin(const ServedRequest& request) const;
  bool is_our_name(std::string_view host) const;
  bool is_our_origin(std::string_view origin) const;
  // The response to a request without a valid token; else sets the token of the call.
  std::optional<ServedResponse> check_token(GatewayCall& call);
  // The response to a request above the limits of its token.
  std::optional<ServedResponse> too_many(const TokenInfo& token);
  void write_log(const GatewayCall& call, const Answered& answered,
                 std::chrono::microseconds duration);

  AsioRuntime& runtime_;
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
  std::optional<Result<void>> reached_;
  Clock::time_point reached_at_;
  bool reaching_ = false;
  bool stopping_ = false;
};

ServedResponse error_response(int status, std::string_view message);
ServedResponse error_response(const Error& error);
ServedResponse json_response(int status, const boost::json::value& value);

}  // namespace talaria::front::gateway
