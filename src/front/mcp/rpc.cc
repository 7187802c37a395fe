#include "front/mcp/rpc.h"

#include <cmath>
#include <utility>

#include <boost/json/basic_parser_impl.hpp>

#include "json/json_text.h"

namespace talaria::front::mcp {
namespace {

// Maximum nesting; JSON Schemas in arguments are the deepest known values.
constexpr std::size_t kMaxDepth = 64;

// Counts the names of all objects in a text that is known to be JSON.
struct NameCounter {
  static constexpr std::size_t max_object_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_array_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_key_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_string_size = static_cast<std::size_t>(-1);

  using Error = json::error_code;
  bool on_document_begin(Error&) { return true; }
  bool on_document_end(Error&) { return true; }
  bool on_object_begin(Error&) { return true; }
  bool on_object_end(std::size_t, Error&) { return true; }
  bool on_array_begin(Error&) { return true; }
  bool on_array_end(std::size_t, Error&) { return true; }
  bool on_key_part(std::string_view, std::size_t, Error&) { return true; }
  bool on_key(std::string_view, std::size_t, Error&) {
    ++names;
    return true;
  }
  bool on_string_part(std::string_view, std::size_t, Error&) { return true; }
  bool on_string(std::string_view, std::size_t, Error&) { return true; }
  bool on_number_part(std::string_view, Error&) { return true; }
  bool on_int64(std::int64_t, std::string_view, Error&) { return true; }
  bool on_uint64(std::uint64_t, std::string_view, Error&) { return true; }
  bool on_double(double, std::string_view, Error&) { return true; }
  bool on_bool(bool, Error&) { return true; }
  bool on_null(Error&) { return true; }
  bool on_comment_part(std::string_view, Error&) { return true; }
  bool on_comment(std::string_view, Error&) { return true; }

  std::size_t names = 0;
};

std::size_t names_in(std::string_view text) {
  json::parse_options options;
  options.max_depth = kMaxDepth;
  json::basic_parser<NameCounter> parser(options);
  json::error_code error;
  parser.write_some(false, text.data(), text.size(), error);
  return parser.handler().names;
}

std::size_t names_in(const json::value& value) {
  std::size_t names = 0;
  if (const json::array* list = value.if_array()) {
    for (const json::value& item : *list) names += names_in(item);
  } else if (const json::object* object = value.if_object()) {
    names = object->size();
    for (const auto& [name, item] : *object) names += names_in(item);
  }
  return names;
}

// Programs differ in which of two members with the same name they use, so what a person approved
// and what would run could differ.
bool repeats_names(std::string_view text, const json::value& value) {
  return names_in(text) != names_in(value);
}

// Empty: there is no valid id.
std::string key_of(const json::object& message, std::string_view name = "id") {
  const json::value* id = message.if_contains(name);
  return id && is_rpc_id(*id) ? to_line(*id) : "";
}

RpcFlaw invalid(std::string key, std::string why) {
  return {std::move(key), {kRpcInvalidRequest, "Invalid Request: " + std::move(why)}};
}

RpcMessage read_response(json::object& message, std::string key) {
  json::value* result = message.if_contains("result");
  if (result && result->is_object()) return RpcResponse{std::move(key), result->get_object()};
  return RpcResponse{std::move(key), std::nullopt};
}

RpcMessage read_message(json::object& message) {
  std::string key = key_of(message);
  const json::value* version = message.if_contains("jsonrpc");
  if (!version || !version->is_string() || version->get_string() != "2.0") {
    return invalid(std::move(key), "\"jsonrpc\" must be \"2.0\"");
  }
  if (message.contains("id") && key.empty()) {
    return invalid("", "\"id\" must be a string or a number");
  }
  const json::value* method = message.if_contains("method");
  if (!method && (message.contains("result") || message.contains("error"))) {
    return read_response(message, std::move(key));
  }
  if (!method || !method->is_string()) {
    return invalid(std::move(key), "\"method\" must be a string");
  }
  json::value* params = message.if_contains("params");
  if (params && !params->is_object()) {
    return RpcFlaw{std::move(key),
                   {kRpcInvalidParams, "Invalid params: \"params\" must be an object"}};
  }
  json::object given = params ? std::move(params->get_object()) : json::object();
  std::string name(method->get_string());
  if (key.empty()) return RpcNotification{std::move(name), std::move(given)};
  return RpcRequest{std::move(key), std::move(name), std::move(given)};
}

}  // namespace

std::optional<std::string> string_in(const json::object& object, std::string_view name) {
  const json::value* value = object.if_contains(name);
  if (!value || !value->is_string()) return std::nullopt;
  return std::string(value->get_string());
}

bool is_rpc_id(const json::value& value) {
  if (const double* number = value.if_double()) return std::isfinite(*number);
  return value.is_string() || value.is_number();
}

RpcMessage parse_rpc(std::string_view text) {
  ParsedJson parsed = parse_json(text, kMaxDepth);
  if (!parsed.value) {
    const json::object* readable = parsed.readable ? parsed.readable->if_object() : nullptr;
    return RpcFlaw{readable ? key_of(*readable) : "",
                   {kRpcParseError, "Parse error: " + parsed.value.error().message()}};
  }
  if (parsed.value->is_array()) return invalid("", "batches are not supported");
  if (!parsed.value->is_object()) return invalid("", "expected an object");
  json::object& message = parsed.value->get_object();
  if (repeats_names(text, *parsed.value)) {
    return invalid(key_of(message), "an object has two members with the same name");
  }
  return read_message(message);
}

std::string cancelled_key(const RpcNotification& notification) {
  if (notification.method != "notifications/cancelled") return "";
  return key_of(notification.params, "requestId");
}

std::string rpc_result(std::string_view key, const json::object& result) {
  return R"({"jsonrpc":"2.0","id":)" + std::string(key) + R"(,"result":)" + to_line(result) + "}";
}

std::string rpc_error(std::string_view key, const RpcError& error) {
  json::object object{{"code", error.code}, {"message", error.message}};
  if (!error.data.empty()) object["data"] = error.data;
  const std::string id = key.empty() ? "" : R"("id":)" + std::string(key) + ",";
  return R"({"jsonrpc":"2.0",)" + id + R"("error":)" + to_line(object) + "}";
}

std::string rpc_request(std::string_view key, std::string_view method, const json::object& params) {
  return R"({"jsonrpc":"2.0","id":)" + std::string(key) + R"(,"method":)" +
         to_line(json::value(method)) + R"(,"params":)" + to_line(params) + "}";
}

std::string rpc_notification(std::string_view method, const json::object& params) {
  return R"({"jsonrpc":"2.0","method":)" + to_line(json::value(method)) + R"(,"params":)" +
         to_line(params) + "}";
}

}  // namespace talaria::front::mcp
