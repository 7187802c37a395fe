// JSON-RPC 2.0 for the Model Context Protocol, without I/O. A message is one JSON object; batches
// are not supported. An invalid message is answered with the standard code, and with the id of the
// request if it can be read.
//
// A key is an id as JSON text: 7, "seven".
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

namespace talaria::front::mcp {

namespace json = boost::json;

inline constexpr int kRpcParseError = -32700;
inline constexpr int kRpcInvalidRequest = -32600;
inline constexpr int kRpcMethodNotFound = -32601;
inline constexpr int kRpcInvalidParams = -32602;
inline constexpr int kRpcInternalError = -32603;
// Of the Model Context Protocol.
inline constexpr int kMcpResourceNotFound = -32002;  // before 2026-07-28; later: invalid params
inline constexpr int kMcpHeaderMismatch = -32020;
inline constexpr int kMcpMissingCapability = -32021;
inline constexpr int kMcpUnsupportedVersion = -32022;

struct RpcRequest {
  std::string key;
  std::string method;
  json::object params;
};

struct RpcNotification {
  std::string method;
  json::object params;
};

// The answer to a request of ours.
struct RpcResponse {
  std::string key;
  std::optional<json::object> result;  // absent: it was refused
};

struct RpcError {
  int code = kRpcInternalError;
  std::string message;
  json::object data = {};  // empty: none
};

// An invalid message.
struct RpcFlaw {
  std::string key;  // empty: the request is unknown
  RpcError error;
};

using RpcMessage = std::variant<RpcRequest, RpcNotification, RpcResponse, RpcFlaw>;

RpcMessage parse_rpc(std::string_view text);

// A member of `object`, if it is a string.
std::optional<std::string> string_in(const json::object& object, std::string_view name);

// Whether it can be an id or a token: a string, or a finite number.
bool is_rpc_id(const json::value& value);

// The key of the request that it cancels; empty: it is not a cancellation.
std::string cancelled_key(const RpcNotification& notification);

// Messages of ours; each is one line without a newline.
std::string rpc_result(std::string_view key, const json::object& result);
std::string rpc_error(std::string_view key, const RpcError& error);  // "": without an id
std::string rpc_request(std::string_view key, std::string_view method, const json::object& params);
std::string rpc_notification(std::string_view method, const json::object& params);

}  // namespace talaria::front::mcp
