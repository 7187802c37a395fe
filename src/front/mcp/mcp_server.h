// McpServer: the Model Context Protocol as one client sees it, without I/O. Messages go in; what is
// to be done comes out, in order. It serves both eras, request by request:
//   2026-07-28    a request says of itself which version it is of and what its client can do
//                 (`_meta`); nothing is remembered between requests
//   before it     `initialize` says so once, for all that follow
// Lists, capabilities and versions it answers by itself; tools, resources and whatever else is done
// by somebody are actions, whose end is told with answer().
//
// Every message it sends is about one request of the client (or, if `about` is empty, about none):
// over HTTP it belongs on that request's own stream.
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

// Resources the subscriptions of one client may name, all together.
inline constexpr std::size_t kMaxListenedResources = 256;

// Those of the era of `initialize`, the newest first.
std::vector<std::string_view> legacy_versions();

// How a request ends.
using McpAnswer = std::expected<json::object, RpcError>;

class McpHandler;

// What a server has to offer. Empty lists are offered, too: what is absent is not known at all.
struct McpOffer {
  std::string instructions;
  json::array tools;
  json::array resources;
  json::array templates;               // of resources
  std::optional<json::array> prompts;  // absent: "prompts/list" is no method of ours
  bool completes = false;              // "completion/complete"
  bool logs = false;
  std::shared_ptr<McpHandler> handler;  // null: Talaria's own tools and resources
};

// What a request says beside its method and parameters.
struct McpRequest {
  std::string key;
  bool modern = false;
  json::object capabilities;                  // of its client
  std::optional<json::value> progress_token;  // it wants to be told how far it is
  std::vector<std::string> variables;         // trace context, as NAME=value
  std::string log_level;                      // messages of this level; empty: none
};

// Its client can put a form before a person.
bool can_elicit(const McpRequest& request);

struct McpCall {
  McpRequest request;
  std::string tool;
  json::object arguments;
  // Of a call that is made again because somebody had to be asked (modern).
  json::object input_responses;
  std::string request_state;
  std::size_t bytes = 0;  // of its message
};

struct McpRead {
  McpRequest request;
  std::string uri;
  std::size_t bytes = 0;  // of its message
};

// A method only a handler has: prompts/get, completion/complete.
struct McpOther {
  McpRequest request;
  std::string method;
  json::object params;
};

// The client no longer wants it. Nothing more may be sent about it, and nothing will be.
struct McpCancel {
  std::string key;
};

// The answer to elicit(), about the request `key`.
struct McpElicited {
  std::string key;
  std::optional<json::object> result;  // absent: the client refused to ask
};

// Whether anybody wants to know of changes of this resource.
struct McpWatch {
  std::string uri;
  bool wanted = true;
};

struct McpSend {
  std::string about;  // the key of a request; empty: of none
  std::string text;   // one line without its end
  bool last = false;  // nothing more about that request
  int error = 0;      // the code, if it is an error: HTTP has statuses for some
};

using McpAction =
    std::variant<McpCall, McpRead, McpOther, McpCancel, McpElicited, McpWatch, McpSend>;

class McpServer {
 public:
  // `offer` outlives it.
  explicit McpServer(const McpOffer& offer) : offer_(&offer) {}

  // One message of the client.
  std::vector<McpAction> take(std::string_view text);

  // As if the client had cancelled that request: over HTTP, it closed the stream of it.
  std::vector<McpAction> give_up(const std::string& key);

  // The end of a request that was an action; nothing if it was cancelled.
  std::optional<McpSend> answer(const std::string& key, McpAnswer answer);

  // About a request under way. `value` grows from message to message.
  std::optional<McpSend> progress(const std::string& key, double value, std::string_view message,
                                  std::optional<double> total = std::nullopt);
  std::optional<McpSend> notify(const std::string& key, std::string_view method,
                                const json::object& params);
  // Asks the client something (legacy: elicitation/create, sampling/createMessage); the answer is
  // an McpElicited.
  std::optional<McpSend> ask(const std::string& key, std::string_view method,
                             const json::object& params);
  // What was asked about that request need not be answered any more, and an answer does not count.
  std::optional<McpSend> withdraw(const std::string& key);

  // A resource somebody subscribed to has changed: a message for each of them.
  std::vector<McpSend> resource_changed(const std::string& uri);
  // No more subscriptions: those who have one are told.
  std::vector<McpSend> end_subscriptions();

  bool initialized() const { return initialized_; }
  std::string_view version() const { return version_; }  // of the era of `initialize`
  const std::string& client_name() const { return client_name_; }
  std::size_t under_way() const { return requests_.size(); }

 private:
  using Actions = std::vector<McpAction>;
  struct UnderWay {
    bool modern = false;
    std::optional<json::value> progress_token;
    bool listens = false;                // subscriptions/listen: it has no end of its own
    std::vector<std::string> resources;  // it listens for
    std::string asked;                   // our request about it, if one is out
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
  json::object client_can_;  // what it said when it was initialized
  std::string client_name_;
  std::string log_level_;
  std::map<std::string, UnderWay> requests_;  // by key
  std::map<std::string, std::string> asked_;  // by key of a request of ours: what it is about
  std::set<std::string> subscribed_;          // resources, by those who said `initialize`
  std::uint64_t questions_ = 0;
};

}  // namespace talaria::front::mcp
