// McpProtocol: the Model Context Protocol for one client, without I/O. It turns messages into
// actions. It serves both generations of the protocol, request by request:
//   2026-07-28    each request has its version and the capabilities of its client in `_meta`;
//                 nothing is stored between requests
//   before it     `initialize` sets them once for all requests
// It answers lists, capabilities and versions itself. Everything else becomes an action, which
// answer() ends.
//
// Every message it sends is about one request of the client (or none, if `about` is empty). Over
// HTTP it belongs on the stream of that request.
#pragma once

#include <cstdint>
#include <expected>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <boost/json/array.hpp>

#include "front/mcp/rpc.h"

namespace talaria::front::mcp {

inline constexpr std::string_view kModernVersion = "2026-07-28";

// Maximum number of resources in all subscriptions of one client.
inline constexpr std::size_t kMaxListenedResources = 256;

// The versions with `initialize`, newest first.
std::vector<std::string_view> legacy_versions();

// How a request ends.
using McpAnswer = std::expected<json::object, RpcError>;

class ConformanceHandler;

// What a server offers. An empty list is offered; an absent one is not.
struct McpOffer {
  std::string instructions;
  json::array tools;
  json::array resources;
  json::array templates;               // of resources
  std::optional<json::array> prompts;  // absent: no method "prompts/list"
  bool completes = false;              // "completion/complete"
  bool logs = false;
  std::shared_ptr<ConformanceHandler> handler;  // null: Talaria's own tools and resources
};

// A request without its method and parameters.
struct McpRequest {
  std::string key;
  bool modern = false;
  json::object capabilities;                  // of its client
  std::optional<json::value> progress_token;  // the client wants progress notifications
  std::vector<std::string> variables;         // trace context, as NAME=value
  std::string log_level;                      // messages of this level; empty: none
};

// Whether its client can show a form to a person.
bool can_elicit(const McpRequest& request);

struct McpCall {
  McpRequest request;
  std::string tool;
  json::object arguments;
  // Of a call that is repeated after a person was asked (2026-07-28).
  json::object input_responses;
  std::string request_state;
  std::size_t bytes = 0;  // of its message
};

struct McpRead {
  McpRequest request;
  std::string uri;
  std::size_t bytes = 0;  // of its message
};

// A method that only a handler has: prompts/get, completion/complete.
struct McpOther {
  McpRequest request;
  std::string method;
  json::object params;
};

// The client cancelled it; nothing more is sent about it.
struct McpCancel {
  std::string key;
};

// The answer to ask(), about the request `key`.
struct McpElicited {
  std::string key;
  std::optional<json::object> result;  // absent: the client refused to ask
};

// Starts or stops watching a resource.
struct McpWatch {
  std::string uri;
  bool wanted = true;
};

struct McpSend {
  std::string about;  // the key of a request; empty: of none
  std::string text;   // one line without its end
  bool last = false;  // the last message about that request
  int error = 0;      // the error code, which HTTP turns into a status
};

using McpAction =
    std::variant<McpCall, McpRead, McpOther, McpCancel, McpElicited, McpWatch, McpSend>;

class McpProtocol {
 public:
  // `offer` outlives it.
  explicit McpProtocol(const McpOffer& offer) : offer_(&offer) {}

  // One message of the client.
  std::vector<McpAction> take(std::string_view text);

  // Cancels a request: over HTTP, the client closed its stream.
  std::vector<McpAction> give_up(const std::string& key);

  // Ends a request that was an action; nothing: it was cancelled.
  std::optional<McpSend> answer(const std::string& key, McpAnswer answer);

  // About a request in progress. `value` increases.
  std::optional<McpSend> progress(const std::string& key, double value, std::string_view message,
                                  std::optional<double> total = std::nullopt);
  std::optional<McpSend> notify(const std::string& key, std::string_view method,
                                const json::object& params);
  // A log message about no request, if the client wants such (before 2026-07-28).
  std::optional<McpSend> log(const json::object& data) const;
  // Sends a request to the client (before 2026-07-28: elicitation/create,
  // sampling/createMessage); the answer is an McpElicited.
  std::optional<McpSend> ask(const std::string& key, std::string_view method,
                             const json::object& params);
  // Cancels our request about it; a later answer is ignored.
  std::optional<McpSend> withdraw(const std::string& key);

  // A subscribed resource has changed: one message per subscription.
  std::vector<McpSend> resource_changed(const std::string& uri);
  // Ends all subscriptions and notifies their clients.
  std::vector<McpSend> end_subscriptions();

  bool initialized() const { return initialized_; }
  std::string_view version() const { return version_; }  // set by `initialize`
  std::size_t under_way() const { return requests_.size(); }

 private:
  using Actions = std::vector<McpAction>;
  struct UnderWay {
    bool modern = false;
    std::optional<json::value> progress_token;
    bool listens = false;                // subscriptions/listen: it has no answer
    std::vector<std::string> resources;  // that it subscribes to
    std::string asked;                   // our pending request about it
  };

  void take_request(RpcRequest request, Actions& actions);
  void take_notification(const RpcNotification& notification, Actions& actions);
  void take_response(RpcResponse response, Actions& actions);
  bool answer_at_once(const McpRequest& about, const RpcRequest& request, Actions& actions);
  void dispatch(McpRequest about, RpcRequest request, Actions& actions);
  void call(McpRequest about, json::object params, Actions& actions);
  void listen(const McpRequest& about, const json::object& params, Actions& actions);
  void subscribe(const McpRequest& about, const json::object& params, bool wanted,
                 Actions& actions);
  void cancel(const std::string& key, Actions& actions);

  json::object initialize(const json::object& params);
  json::object discover() const;
  json::object capabilities() const;
  std::optional<json::object> list(const std::string& method, bool modern) const;
  bool is_watched(const std::string& uri) const;
  std::size_t subscriptions() const;
  static json::object completed(json::object result, bool modern);

  const McpOffer* offer_;
  bool initialized_ = false;
  std::string version_;
  json::object client_can_;  // from `initialize`
  std::string log_level_;
  std::map<std::string, UnderWay> requests_;  // by key
  std::map<std::string, std::string> asked_;  // by the key of our request: the request it is about
  std::set<std::string> subscribed_;          // resources, before 2026-07-28
  std::uint64_t questions_ = 0;
};

}  // namespace talaria::front::mcp
