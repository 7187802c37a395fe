#include "front/gateway/mcp_http.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/event.h"
#include "base/text.h"
#include "front/gateway/limits.h"
#include "front/mcp/mcp_headers.h"
#include "front/random_name.h"

namespace talaria::front::gateway {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::string_view kSessionHeader = "mcp-session-id";

ServedResponse rpc_response(int status, std::string text) {
  return {.status = status, .body = std::move(text)};
}

ServedResponse refusal(int status, std::string_view key, int code, std::string message) {
  return rpc_response(status, mcp::rpc_error(key, {code, std::move(message)}));
}

ServedResponse flaw_response(const mcp::RpcFlaw& flaw) {
  return rpc_response(mcp::http_status_of(flaw.error.code), mcp::rpc_error(flaw.key, flaw.error));
}

bool accepts_events(const ServedRequest& request) {
  const std::string accept = lower_case(request.header("accept"));
  return accept.contains("text/event-stream") || accept.contains("*/*");
}

}  // namespace

// One request, and the messages about it that were not sent yet.
struct McpHttp::Exchange {
  Exchange(std::string its_key, bool of_modern) : key(std::move(its_key)), modern(of_modern) {}

  std::string key;
  bool modern;
  std::vector<std::string> messages;
  bool over = false;      // no more messages follow
  bool answered = false;  // the last message is its result
  bool gone = false;      // the client no longer reads
  int error = 0;          // the error code, if it failed
  AsyncEvent changed;
};

struct McpHttp::Client {
  std::string id;  // of its session; empty: for one request only
  std::string owner;
  std::string token;                       // its ID; a session has the rights of its token
  std::unique_ptr<mcp::ProcessNews> news;  // null: that of its token
  std::unique_ptr<mcp::McpSession> session;
  std::map<std::string, ExchangePointer> exchanges;  // by key
  Clock::time_point last_use = Clock::now();
};

// Ends an exchange, also if the answer could not be sent.
class McpHttp::Ending {
 public:
  Ending(McpHttp& http, ClientPointer client, ExchangePointer exchange)
      : http_(http), client_(std::move(client)), exchange_(std::move(exchange)) {}
  Ending(const Ending&) = delete;
  Ending& operator=(const Ending&) = delete;
  ~Ending() { http_.finish(client_, exchange_); }

 private:
  McpHttp& http_;
  ClientPointer client_;
  ExchangePointer exchange_;
};

McpHttp::McpHttp(const asio::any_io_executor& executor, Options options, mcp::McpOffer offer,
                 mcp::ScriptKeeper::Start start_keeper)
    : executor_(executor),
      options_(std::move(options)),
      offer_(std::move(offer)),
      start_keeper_(std::move(start_keeper)),
      leaving_(executor) {}

McpHttp::~McpHttp() = default;

void McpHttp::prepare() {
  if (runtime_) return;
  runtime_ = std::make_unique<AsioRuntime>(executor_, options_);
  background_ = std::make_unique<mcp::BackgroundCalls>(executor_, *runtime_);
  // Where each program has an environment of its own, a script must be in that of its task.
  if (runtime_->shares_environments()) background_->use_keeper(start_keeper_);
}

// Clients.

McpHttp::ClientPointer McpHttp::make_client(const TokenInfo& token, bool lasts) {
  prepare();
  const auto client = std::make_shared<Client>();
  client->owner = token.user;
  client->token = token.id;
  mcp::McpPrincipal principal = mcp::new_principal();
  principal.scope = "mcp/" + token.user + "/";
  principal.session_key = mcp_session_key(token.user);
  // Requests without a session still share a shell.
  principal.task = principal.scope + (lasts ? principal.task : token.name);
  principal.may_answer = token.scope.approve;
  client->session =
      std::make_unique<mcp::McpSession>(executor_, *runtime_, offer_, state_, std::move(principal),
                                        [raw = client.get()](const mcp::McpSend& message) {
                                          const auto found = raw->exchanges.find(message.about);
                                          if (found == raw->exchanges.end()) return;
                                          Exchange& exchange = *found->second;
                                          exchange.messages.push_back(message.text);
                                          exchange.over = message.last;
                                          exchange.answered = message.last;
                                          exchange.error = message.error;
                                          exchange.changed.notify_all();
                                        });
  client->session->use_background_calls(*background_);
  // Requests without a session share what their token asked for.
  auto& news = lasts ? client->news : news_[token.id];
  if (!news) news = std::make_unique<mcp::ProcessNews>(executor_, *runtime_, "");
  client->session->use_news(*news);
  if (lasts) {
    forget_idle_clients(client->owner);
    client->id = random_name(32);
    sessions_[client->id] = client;
  }
  return client;
}

McpHttp::ClientPointer McpHttp::find_client(const GatewayCall& call) {
  const auto found = sessions_.find(call.request.header(std::string(kSessionHeader)));
  if (found == sessions_.end() || found->second->token != call.token.id) return nullptr;
  found->second->last_use = Clock::now();
  return found->second;
}

// Ends idle sessions and, if the owner has too many, the least recently used one.
void McpHttp::forget_idle_clients(const std::string& owner) {
  std::vector<ClientPointer> idle;
  std::size_t owned = 0;
  ClientPointer oldest;
  for (const auto& [id, client] : sessions_) {
    const bool busy = !client->exchanges.empty();
    if (!busy && Clock::now() - client->last_use > kMcpSessionIdle) {
      idle.push_back(client);
      continue;
    }
    if (client->owner != owner) continue;
    ++owned;
    if (!busy && (!oldest || client->last_use < oldest->last_use)) oldest = client;
  }
  if (owned >= kMaxMcpSessions && oldest) idle.push_back(oldest);
  for (const ClientPointer& client : idle) end(client);
}

void McpHttp::end(ClientPointer client) {
  sessions_.erase(client->id);
  for (const auto& [key, exchange] : client->exchanges) {
    exchange->over = true;
    exchange->changed.notify_all();
  }
  client->session->close();
  if (client->news) client->news->close();
  leaving_.start(wait_for_end(std::move(client)));
}

Task<void> McpHttp::wait_for_end(ClientPointer client) {
  co_await client->session->ended();
  if (client->news) co_await client->news->ended();
}

ServedResponse McpHttp::end_session(const GatewayCall& call) {
  if (call.request.header(std::string(kSessionHeader)).empty()) {
    return refusal(400, "", mcp::kRpcInvalidRequest, "Mcp-Session-Id is required");
  }
  const ClientPointer client = find_client(call);
  if (!client) return refusal(404, "", mcp::kRpcInvalidRequest, "unknown session");
  end(client);
  return {.status = 204};
}

Task<void> McpHttp::stop() {
  while (!sessions_.empty()) end(sessions_.begin()->second);
  while (open_ > 0) co_await leaving_.change();
  co_await leaving_.ended();
  if (!runtime_) co_return;
  background_->close();
  co_await background_->ended();
  for (const auto& [token, news] : news_) {
    news->close();
    co_await news->ended();
  }
  co_await runtime_->remove_all_environments();
}

// Requests.

Task<ServedResponse> McpHttp::post(Gateway& gateway, GatewayCall& call) {
  const ServedRequest& request = call.request;
  if (!lower_case(request.header("content-type")).starts_with("application/json")) {
    co_return refusal(415, "", mcp::kRpcInvalidRequest, "Content-Type must be application/json");
  }
  const mcp::RpcMessage message = mcp::parse_rpc(request.body);
  const mcp::McpEnvelope envelope = mcp::read_envelope(request.headers, message, offer_);
  if (envelope.flaw) co_return flaw_response(*envelope.flaw);
  const auto* const asked = std::get_if<mcp::RpcRequest>(&message);
  if (asked && under_way_[call.owner()] >= gateway.options().requests_per_token) {
    co_return error_response(429, "too many requests with this token");
  }
  if (envelope.modern) {
    // A notification could only be about a request on another connection, and those have no state.
    if (!asked) co_return ServedResponse{.status = 202};
    const ClientPointer client = make_client(call.token, false);
    co_return co_await serve(gateway, call, client, asked->key, true);
  }
  if (asked && asked->method == "initialize") {
    const ClientPointer client = make_client(call.token, true);
    ServedResponse response = co_await serve(gateway, call, client, asked->key, false);
    if (client->session->server().initialized()) {
      response.headers.emplace_back("Mcp-Session-Id", client->id);
    } else {
      end(client);
    }
    co_return response;
  }
  const std::string key = asked ? asked->key : "";
  if (request.header(std::string(kSessionHeader)).empty()) {
    co_return refusal(400, key, mcp::kRpcInvalidRequest,
                      "Mcp-Session-Id is required: initialize first");
  }
  const ClientPointer client = find_client(call);
  if (!client) {
    co_return refusal(404, key, mcp::kRpcInvalidRequest, "unknown session: initialize again");
  }
  if (asked) co_return co_await serve(gateway, call, client, key, false);
  if (call.from_command && std::holds_alternative<mcp::RpcResponse>(message)) {
    co_return refusal(403, "", mcp::kRpcInvalidRequest,
                      "a command cannot answer questions about commands");
  }
  client->session->take(request.body);
  const auto* const notification = std::get_if<mcp::RpcNotification>(&message);
  if (const auto found =
          client->exchanges.find(notification ? mcp::cancelled_key(*notification) : "");
      found != client->exchanges.end()) {
    found->second->over = true;
    found->second->changed.notify_all();
  }
  co_return ServedResponse{.status = 202};
}

Task<ServedResponse> McpHttp::serve(Gateway& gateway, GatewayCall& call, ClientPointer client,
                                    std::string key, bool modern) {
  if (client->exchanges.contains(key)) {
    co_return refusal(400, key, mcp::kRpcInvalidRequest,
                      "Invalid Request: id " + key + " is already used by a request in progress");
  }
  const auto exchange = std::make_shared<Exchange>(std::move(key), modern);
  client->exchanges[exchange->key] = exchange;
  ++under_way_[client->owner];
  ++open_;
  const auto ending = std::make_shared<Ending>(*this, client, exchange);
  call.request.gone.on_cancel([exchange] {
    exchange->gone = true;
    exchange->changed.notify_all();
  });
  // Without events a form cannot be sent.
  client->session->take(call.request.body, accepts_events(call.request));
  const auto answer = [exchange] {
    if (!exchange->answered) {
      return refusal(404, exchange->key, mcp::kRpcInvalidRequest, "the request was cancelled");
    }
    const int status = exchange->modern ? mcp::http_status_of(exchange->error) : 200;
    return rpc_response(status, exchange->messages.back());
  };
  const bool at_once = exchange->over && exchange->messages.size() == 1;
  if (at_once || !accepts_events(call.request)) {
    gateway.waiting().insert(&exchange->changed);
    while (!exchange->over && !exchange->gone && !gateway.stopping()) {
      co_await exchange->changed.wait();
    }
    gateway.waiting().erase(&exchange->changed);
    if (!exchange->over) co_return error_response(503, "the gateway is stopping");
    co_return answer();
  }
  co_return ServedResponse{.type = "text/event-stream",
                           .headers = {{"X-Accel-Buffering", "no"}},
                           .stream = [&gateway, exchange, ending](ServedSink sink) {
                             return stream(gateway, exchange, std::move(sink));
                           }};
}

Task<void> McpHttp::stream(Gateway& gateway, ExchangePointer exchange, ServedSink sink) {
  AsyncEvent& changed = exchange->changed;
  gateway.waiting().insert(&changed);
  while (!exchange->gone) {
    std::string events;
    for (const std::string& message : std::exchange(exchange->messages, {})) {
      events += "event: message\ndata: " + message + "\n\n";
    }
    if (events.empty() && (exchange->over || gateway.stopping())) break;
    if (events.empty()) {
      if (co_await changed.wait_for(kStreamPause)) continue;
      events = ": still here\n\n";
    }
    if (!co_await sink(std::move(events))) exchange->gone = true;
  }
  gateway.waiting().erase(&changed);
}

// Since 2026-07-28 closing the stream of a request cancels it. Before, only a notification does.
void McpHttp::finish(const ClientPointer& client, const ExchangePointer& exchange) {
  --under_way_[client->owner];
  --open_;
  leaving_.notify();
  client->exchanges.erase(exchange->key);
  client->last_use = Clock::now();
  if (!exchange->over && exchange->modern) client->session->give_up(exchange->key);
  if (!exchange->over && !exchange->modern) client->session->abandon(exchange->key);
  if (client->id.empty()) end(client);
}

}  // namespace talaria::front::gateway
