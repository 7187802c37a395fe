#include "front/mcp/mcp_protocol.h"

#include <talaria/version.h>

#include <algorithm>
#include <utility>

#include <boost/json/parse.hpp>

#include "front/mcp/request_meta.h"
#include "json/fields.h"

namespace talaria::front::mcp {
namespace {

// How long a client may cache a list.
constexpr std::int64_t kListLifeMs = 300'000;

json::object server_info() {
  return {{"name", "talaria"}, {"title", "Talaria"}, {"version", kVersion}};
}

RpcError invalid_params(const std::string& why) {
  return {kRpcInvalidParams, "Invalid params: " + why};
}

McpSend refusal(const std::string& key, const RpcError& error) {
  return {.about = key, .text = rpc_error(key, error), .last = true, .error = error.code};
}

json::object cacheable(json::object result, bool modern) {
  if (!modern) return result;
  result["ttlMs"] = kListLifeMs;
  result["cacheScope"] = "private";
  return result;
}

json::object with_subscription(json::object params, const std::string& key) {
  params["_meta"] = json::object{{kMetaSubscription, json::parse(key)}};
  return params;
}

}  // namespace

bool can_elicit(const McpRequest& request) {
  const json::object* how = object_field(request.capabilities, "elicitation");
  return how && (how->empty() || how->contains("form"));
}

std::vector<std::string_view> legacy_versions() {
  return {"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"};
}

std::vector<McpAction> McpProtocol::take(std::string_view text) {
  Actions actions;
  RpcMessage message = parse_rpc(text);
  if (auto* request = std::get_if<RpcRequest>(&message)) {
    take_request(std::move(*request), actions);
    for (McpAction& action : actions) {
      if (auto* call = std::get_if<McpCall>(&action)) call->bytes = text.size();
      if (auto* read = std::get_if<McpRead>(&action)) read->bytes = text.size();
    }
  } else if (const auto* notification = std::get_if<RpcNotification>(&message)) {
    take_notification(*notification, actions);
  } else if (auto* response = std::get_if<RpcResponse>(&message)) {
    take_response(std::move(*response), actions);
  } else {
    const RpcFlaw& flaw = std::get<RpcFlaw>(message);
    const bool known = !flaw.key.empty() && !requests_.contains(flaw.key);
    actions.emplace_back(refusal(known ? flaw.key : "", flaw.error));
  }
  return actions;
}

// Requests.

void McpProtocol::take_request(RpcRequest request, Actions& actions) {
  McpRequest about{.key = request.key};
  if (const auto error = read_request_meta(request.params, about)) {
    actions.emplace_back(refusal(request.key, *error));
    return;
  }
  if (!about.modern) {
    about.capabilities = client_can_;
    about.log_level = log_level_;
  }
  if (requests_.contains(request.key)) {
    // Without the id, which would make it the answer to the other request.
    McpSend refused =
        refusal("", {kRpcInvalidRequest, "Invalid Request: id " + request.key +
                                             " is already used by a request in progress"});
    refused.about = request.key;
    actions.emplace_back(std::move(refused));
    return;
  }
  if (!answer_at_once(about, request, actions))
    dispatch(std::move(about), std::move(request), actions);
}

// Requests that need no action.
bool McpProtocol::answer_at_once(const McpRequest& about, const RpcRequest& request,
                                 Actions& actions) {
  const auto say = [&](json::object result) {
    actions.emplace_back(
        McpSend{.about = about.key,
                .text = rpc_result(about.key, completed(std::move(result), about.modern)),
                .last = true});
    return true;
  };
  const std::string& method = request.method;
  if (method == "server/discover") return say(discover());
  if (auto listed = list(method, about.modern)) {
    if (!request.params.contains("cursor")) return say(std::move(*listed));
    actions.emplace_back(refusal(about.key, invalid_params("unknown cursor")));
    return true;
  }
  if (about.modern) return false;
  if (method == "ping") return say({});
  if (method == "initialize") {
    if (string_in(request.params, "protocolVersion")) return say(initialize(request.params));
    actions.emplace_back(refusal(about.key, invalid_params("protocolVersion: expected a string")));
    return true;
  }
  if (method == "logging/setLevel" && offer_->logs) {
    log_level_ = string_in(request.params, "level").value_or("");
    return say({});
  }
  return false;
}

void McpProtocol::dispatch(McpRequest about, RpcRequest request, Actions& actions) {
  const std::string& method = request.method;
  const auto begin = [&] {
    requests_.emplace(about.key,
                      UnderWay{.modern = about.modern, .progress_token = about.progress_token});
  };
  const bool handler_method = (method == "prompts/get" && offer_->prompts) ||
                              (method == "completion/complete" && offer_->completes);
  if (method == "tools/call") {
    call(std::move(about), std::move(request.params), actions);
  } else if (method == "resources/read") {
    auto uri = string_in(request.params, "uri");
    if (!uri) {
      actions.emplace_back(refusal(about.key, invalid_params("uri: expected a string")));
      return;
    }
    begin();
    actions.emplace_back(McpRead{.request = std::move(about), .uri = std::move(*uri)});
  } else if (handler_method) {
    begin();
    actions.emplace_back(McpOther{std::move(about), method, std::move(request.params)});
  } else if (about.modern && method == "subscriptions/listen") {
    if (subscriptions() >= kMaxListenedResources) {
      actions.emplace_back(refusal(about.key, invalid_params("too many subscriptions")));
      return;
    }
    begin();
    listen(about, request.params, actions);
  } else if (!about.modern &&
             (method == "resources/subscribe" || method == "resources/unsubscribe")) {
    subscribe(about, request.params, method == "resources/subscribe", actions);
  } else {
    actions.emplace_back(refusal(about.key, {kRpcMethodNotFound, "Method not found: " + method}));
  }
}

void McpProtocol::call(McpRequest about, json::object params, Actions& actions) {
  const auto name = string_in(params, "name");
  json::value* arguments = params.if_contains("arguments");
  std::optional<RpcError> flaw;
  if (!name) {
    flaw = invalid_params("name: expected a string");
  } else if (arguments && !arguments->is_object()) {
    flaw = invalid_params("arguments: expected an object");
  } else if (std::ranges::none_of(offer_->tools, [&](const json::value& tool) {
               return tool.at("name").get_string() == *name;
             })) {
    flaw = invalid_params("Unknown tool: " + *name);
  }
  if (flaw) {
    actions.emplace_back(refusal(about.key, *flaw));
    return;
  }
  requests_.emplace(about.key,
                    UnderWay{.modern = about.modern, .progress_token = about.progress_token});
  McpCall call{.request = std::move(about), .tool = *name};
  if (arguments) call.arguments = std::move(arguments->get_object());
  if (json::value* given = params.if_contains("inputResponses"); given && given->is_object()) {
    call.input_responses = std::move(given->get_object());
  }
  call.request_state = string_in(params, "requestState").value_or("");
  actions.emplace_back(std::move(call));
}

json::object McpProtocol::initialize(const json::object& params) {
  const std::string asked = string_in(params, "protocolVersion").value_or("");
  const auto versions = legacy_versions();
  const bool known = std::ranges::find(versions, asked) != versions.end();
  version_ = known ? asked : std::string(versions.front());
  const json::object* capabilities_of_client = object_field(params, "capabilities");
  client_can_ = capabilities_of_client ? *capabilities_of_client : json::object();
  initialized_ = true;
  json::object result{{"protocolVersion", version_},
                      {"capabilities", capabilities()},
                      {"serverInfo", server_info()}};
  if (!offer_->instructions.empty()) result["instructions"] = offer_->instructions;
  return result;
}

json::object McpProtocol::discover() const {
  json::object result{{"supportedVersions", supported_versions()},
                      {"capabilities", capabilities()}};
  if (!offer_->instructions.empty()) result["instructions"] = offer_->instructions;
  // Answered for every version, because clients use it to probe.
  return completed(cacheable(std::move(result), true), true);
}

json::object McpProtocol::capabilities() const {
  json::object can{{"tools", json::object()}, {"resources", {{"subscribe", true}}}};
  if (offer_->prompts) can["prompts"] = json::object();
  if (offer_->completes) can["completions"] = json::object();
  if (offer_->logs) can["logging"] = json::object();
  return can;
}

std::optional<json::object> McpProtocol::list(const std::string& method, bool modern) const {
  if (method == "tools/list") return cacheable({{"tools", offer_->tools}}, modern);
  if (method == "resources/list") return cacheable({{"resources", offer_->resources}}, modern);
  if (method == "resources/templates/list") {
    return cacheable({{"resourceTemplates", offer_->templates}}, modern);
  }
  if (method == "prompts/list" && offer_->prompts) {
    return cacheable({{"prompts", *offer_->prompts}}, modern);
  }
  return std::nullopt;
}

json::object McpProtocol::completed(json::object result, bool modern) {
  if (!modern) return result;
  if (!result.contains("resultType")) result["resultType"] = "complete";
  json::value& meta = result["_meta"];
  if (!meta.is_object()) meta = json::object();
  meta.get_object()[kMetaServerInfo] = server_info();
  return result;
}

// Subscriptions.

void McpProtocol::subscribe(const McpRequest& about, const json::object& params, bool wanted,
                            Actions& actions) {
  const auto uri = string_in(params, "uri");
  if (!uri) {
    actions.emplace_back(refusal(about.key, invalid_params("uri: expected a string")));
    return;
  }
  if (wanted && !subscribed_.contains(*uri) && subscriptions() >= kMaxListenedResources) {
    actions.emplace_back(refusal(about.key, invalid_params("too many subscriptions")));
    return;
  }
  const bool was = is_watched(*uri);
  if (wanted) {
    subscribed_.insert(*uri);
  } else {
    subscribed_.erase(*uri);
  }
  actions.emplace_back(
      McpSend{.about = about.key, .text = rpc_result(about.key, {}), .last = true});
  if (was != is_watched(*uri)) actions.emplace_back(McpWatch{*uri, wanted});
}

void McpProtocol::listen(const McpRequest& about, const json::object& params, Actions& actions) {
  UnderWay& request = requests_.at(about.key);
  std::vector<std::string> wanted = wanted_resources(params);
  wanted.resize(std::min(wanted.size(), kMaxListenedResources - subscriptions()));
  request.listens = true;
  json::object honoured;
  if (!wanted.empty())
    honoured["resourceSubscriptions"] = json::array(wanted.begin(), wanted.end());
  json::object params_of_ours =
      with_subscription({{"notifications", std::move(honoured)}}, about.key);
  actions.emplace_back(McpSend{
      .about = about.key,
      .text = rpc_notification("notifications/subscriptions/acknowledged", params_of_ours)});
  for (std::string& uri : wanted) {
    const bool was = is_watched(uri);
    request.resources.push_back(uri);
    if (!was) actions.emplace_back(McpWatch{std::move(uri), true});
  }
}

// One without resources counts, too, because it is stored.
std::size_t McpProtocol::subscriptions() const {
  std::size_t count = subscribed_.size();
  for (const auto& [key, request] : requests_) {
    if (request.listens) count += std::max<std::size_t>(request.resources.size(), 1);
  }
  return count;
}

bool McpProtocol::is_watched(const std::string& uri) const {
  if (subscribed_.contains(uri)) return true;
  return std::ranges::any_of(requests_, [&](const auto& entry) {
    return std::ranges::find(entry.second.resources, uri) != entry.second.resources.end();
  });
}

std::vector<McpSend> McpProtocol::resource_changed(const std::string& uri) {
  constexpr std::string_view kMethod = "notifications/resources/updated";
  std::vector<McpSend> messages;
  if (subscribed_.contains(uri)) {
    messages.push_back({.about = "", .text = rpc_notification(kMethod, {{"uri", uri}})});
  }
  for (const auto& [key, request] : requests_) {
    if (std::ranges::find(request.resources, uri) == request.resources.end()) continue;
    const json::object params = with_subscription({{"uri", uri}}, key);
    messages.push_back({.about = key, .text = rpc_notification(kMethod, params)});
  }
  return messages;
}

std::vector<McpSend> McpProtocol::end_subscriptions() {
  std::vector<McpSend> messages;
  std::vector<std::string> listening;
  for (const auto& [key, request] : requests_) {
    if (request.listens) listening.push_back(key);
  }
  for (const std::string& key : listening) {
    if (auto message = answer(key, with_subscription({}, key))) {
      messages.push_back(std::move(*message));
    }
  }
  return messages;
}

// Other messages of a client.

void McpProtocol::take_notification(const RpcNotification& notification, Actions& actions) {
  if (const std::string key = cancelled_key(notification); !key.empty()) cancel(key, actions);
}

std::vector<McpAction> McpProtocol::give_up(const std::string& key) {
  Actions actions;
  cancel(key, actions);
  return actions;
}

void McpProtocol::cancel(const std::string& key, Actions& actions) {
  const auto found = requests_.find(key);
  if (found == requests_.end()) return;
  if (auto withdrawn = withdraw(key)) actions.emplace_back(std::move(*withdrawn));
  const UnderWay request = std::move(found->second);
  requests_.erase(found);
  for (const std::string& uri : request.resources) {
    if (!is_watched(uri)) actions.emplace_back(McpWatch{uri, false});
  }
  if (!request.listens) actions.emplace_back(McpCancel{key});
}

void McpProtocol::take_response(RpcResponse response, Actions& actions) {
  const auto asked = asked_.find(response.key);
  if (asked == asked_.end()) return;
  std::string about = std::move(asked->second);
  asked_.erase(asked);
  if (const auto request = requests_.find(about); request != requests_.end()) {
    request->second.asked.clear();
  }
  actions.emplace_back(McpElicited{std::move(about), std::move(response.result)});
}

// Messages about requests in progress.

std::optional<McpSend> McpProtocol::answer(const std::string& key, McpAnswer answer) {
  const auto found = requests_.find(key);
  if (found == requests_.end()) return std::nullopt;
  const bool modern = found->second.modern;
  asked_.erase(found->second.asked);
  requests_.erase(found);
  if (!answer) return refusal(key, answer.error());
  return McpSend{
      .about = key, .text = rpc_result(key, completed(std::move(*answer), modern)), .last = true};
}

std::optional<McpSend> McpProtocol::progress(const std::string& key, double value,
                                             std::string_view message,
                                             std::optional<double> total) {
  const auto found = requests_.find(key);
  if (found == requests_.end() || !found->second.progress_token) return std::nullopt;
  json::object params{{"progressToken", *found->second.progress_token}, {"progress", value}};
  if (total) params["total"] = *total;
  if (!message.empty()) params["message"] = message;
  return McpSend{.about = key, .text = rpc_notification("notifications/progress", params)};
}

std::optional<McpSend> McpProtocol::notify(const std::string& key, std::string_view method,
                                           const json::object& params) {
  if (!requests_.contains(key)) return std::nullopt;
  return McpSend{.about = key, .text = rpc_notification(method, params)};
}

std::optional<McpSend> McpProtocol::log(const json::object& data) const {
  constexpr std::string_view kNoticed[] = {"", "debug", "info", "notice"};
  const bool wanted = std::ranges::find(kNoticed, log_level_) != std::end(kNoticed);
  if (!initialized_ || !offer_->logs || !wanted) return std::nullopt;
  return McpSend{
      .text = rpc_notification("notifications/message",
                               {{"level", "notice"}, {"logger", "talaria"}, {"data", data}})};
}

std::optional<McpSend> McpProtocol::ask(const std::string& key, std::string_view method,
                                        const json::object& params) {
  const auto found = requests_.find(key);
  if (found == requests_.end()) return std::nullopt;
  asked_.erase(found->second.asked);
  const std::string id = "\"talaria-" + std::to_string(++questions_) + "\"";
  found->second.asked = id;
  asked_[id] = key;
  return McpSend{.about = key, .text = rpc_request(id, method, params)};
}

std::optional<McpSend> McpProtocol::withdraw(const std::string& key) {
  const auto found = requests_.find(key);
  if (found == requests_.end() || found->second.asked.empty()) return std::nullopt;
  const std::string id = std::exchange(found->second.asked, "");
  asked_.erase(id);
  return McpSend{
      .about = key,
      .text = rpc_notification("notifications/cancelled", {{"requestId", json::parse(id)}})};
}

}  // namespace talaria::front::mcp
