// JSON-RPC 2.0 as the Model Context Protocol speaks it, without I/O: one message is one JSON
// object, a list of them (a batch) is none. What cannot be read is answered with the code the
// standard has for it, and with the id of the request where that can be told.
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

// A message that cannot be acted on.
struct RpcFlaw {
  std::string key;  // empty: nobody knows which request it was
  RpcError error;
};

using RpcMessage = std::variant<RpcRequest, RpcNotification, RpcResponse, RpcFlaw>;

RpcMessage parse_rpc(std::string_view text);

// What can be an id, or a token: a string, or a number that can be written again (1e400 cannot).
bool is_rpc_id(const json::value& value);

// The key of the request that the other side no longer wants; empty: it says nothing of that kind.
std::string cancelled_key(const RpcNotification& notification);

// What we write; each is one line without its end.
std::string rpc_result(std::string_view key, const json::object& result);
std::string rpc_error(std::string_view key, const RpcError& error);  // "": without an id
std::string rpc_request(std::string_view key, std::string_view method, const json::object& params);
std::string rpc_notification(std::string_view method, const json::object& params);

}  // namespace talaria::front::mcp
