#include "front/mcp/rpc.h"

#include <string>

#include <boost/json/parse.hpp>
#include <gtest/gtest.h>

namespace talaria::front::mcp {
namespace {

// "request 7 ping", "notification x", "response 7", "flaw -32700 7".
std::string described(std::string_view text) {
  const RpcMessage message = parse_rpc(text);
  if (const auto* request = std::get_if<RpcRequest>(&message)) {
    return "request " + request->key + " " + request->method;
  }
  if (const auto* notification = std::get_if<RpcNotification>(&message)) {
    return "notification " + notification->method;
  }
  if (const auto* response = std::get_if<RpcResponse>(&message)) {
    return "response " + response->key + (response->result ? "" : " refused");
  }
  const RpcFlaw& flaw = std::get<RpcFlaw>(message);
  return "flaw " + std::to_string(flaw.error.code) + " " + flaw.key;
}

std::string nested(std::size_t depth) {
  return R"({"jsonrpc":"2.0","id":1,"method":"m","params":{"a":)" + std::string(depth, '[') +
         std::string(depth, ']') + "}}";
}

TEST(Rpc, MessagesAreWhatTheyAre) {
  const struct {
    const char* text;
    const char* expected;
  } cases[] = {
      {R"({"jsonrpc":"2.0","id":7,"method":"ping"})", "request 7 ping"},
      {R"({"jsonrpc":"2.0","id":"a","method":"ping","params":{}})", "request \"a\" ping"},
      {R"({"jsonrpc":"2.0","id":1.5,"method":"ping"})", "request 1.5 ping"},
      {R"({"jsonrpc":"2.0","method":"notifications/x"})", "notification notifications/x"},
      {R"({"jsonrpc":"2.0","id":7,"result":{}})", "response 7"},
      {R"({"jsonrpc":"2.0","id":7,"error":{"code":1,"message":"no"}})", "response 7 refused"},
  };
  for (const auto& c : cases) EXPECT_EQ(described(c.text), c.expected) << c.text;
}

TEST(Rpc, WhatCannotBeActedOnHasTheCodeOfTheStandard) {
  const struct {
    std::string text;
    const char* expected;
  } cases[] = {
      {"this is no JSON", "flaw -32700 "},
      {R"({"jsonrpc":"2.0","id":1,"method":"m")", "flaw -32700 "},
      {R"({"jsonrpc":"2.0","id":1,"method":"m"} x)", "flaw -32700 "},
      {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}", "flaw -32700 1"},
      {R"({"jsonrpc":"2.0","id":1,"method":"\ud800"})", "flaw -32700 1"},
      {nested(100), "flaw -32700 "},
      {std::string(100'000, '['), "flaw -32700 "},
      {"[]", "flaw -32600 "},
      {R"([{"jsonrpc":"2.0","id":1,"method":"ping"}])", "flaw -32600 "},
      {"7", "flaw -32600 "},
      {"{}", "flaw -32600 "},
      {R"({"id":1,"method":"ping"})", "flaw -32600 1"},
      {R"({"jsonrpc":"1.0","id":1,"method":"ping"})", "flaw -32600 1"},
      {R"({"jsonrpc":"2.0","id":null,"method":"ping"})", "flaw -32600 "},
      {R"({"jsonrpc":"2.0","id":{},"method":"ping"})", "flaw -32600 "},
      {R"({"jsonrpc":"2.0","id":1e400,"method":"ping"})", "flaw -32600 "},
      {R"({"jsonrpc":"2.0","id":1,"method":7})", "flaw -32600 1"},
      {R"({"jsonrpc":"2.0","id":1})", "flaw -32600 1"},
      {R"({"jsonrpc":"2.0","id":1,"method":"ping","params":[]})", "flaw -32602 1"},
  };
  for (const auto& c : cases) EXPECT_EQ(described(c.text), c.expected) << c.text.substr(0, 80);
}

TEST(Rpc, ArgumentsMayBeNestedAsDeeplyAsSchemasAre) {
  EXPECT_EQ(described(nested(50)), "request 1 m");
}

// Which of two members counts, every program decides for itself.
TEST(Rpc, ANameThatIsTwiceInAnObjectIsRefusedWhereverItIs) {
  EXPECT_EQ(described(R"({"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/list"})"),
            "flaw -32600 1");
  EXPECT_EQ(described(R"({"jsonrpc":"2.0","id":1,"method":"m","params":{"a":{"b":1,"b":2}}})"),
            "flaw -32600 1");
  EXPECT_EQ(described(R"({"jsonrpc":"2.0","id":1,"method":"m","params":{"a":[{"b":1},{"c":2,"c":2}]}})"),
            "flaw -32600 1");
  EXPECT_EQ(described(R"({"jsonrpc":"2.0","id":1,"method":"m","params":{"a":{"b":1},"b":{"b":2}}})"),
            "request 1 m");
  EXPECT_EQ(described(R"({"jsonrpc":"2.0","id":1,"method":"m","params":{"a":1,"\u0061":2}})"),
            "flaw -32600 1");
}

// As the request itself was read, however its id is written.
TEST(Rpc, ACancelNamesItsRequestByTheSameKey) {
  for (const std::string id : {"7", "1.5", "1e3", "\"seven\"", "-0.25"}) {
    const RpcMessage request = parse_rpc(R"({"jsonrpc":"2.0","method":"m","id":)" + id + "}");
    const RpcMessage message =
        parse_rpc(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":)" +
                  id + "}}");
    EXPECT_EQ(cancelled_key(std::get<RpcNotification>(message)), std::get<RpcRequest>(request).key);
  }
  EXPECT_EQ(cancelled_key({"notifications/cancelled", {}}), "");
  EXPECT_EQ(cancelled_key({"notifications/other", {{"requestId", 7}}}), "");
}

TEST(Rpc, WhatWeWriteIsOneLine) {
  EXPECT_EQ(rpc_result("7", {{"text", "a\nb"}}),
            R"({"jsonrpc":"2.0","id":7,"result":{"text":"a\nb"}})");
  EXPECT_EQ(rpc_error("", {kRpcParseError, "no"}),
            R"({"jsonrpc":"2.0","error":{"code":-32700,"message":"no"}})");
  EXPECT_EQ(rpc_error("7", {1, "no", {{"a", 1}}}),
            R"({"jsonrpc":"2.0","id":7,"error":{"code":1,"message":"no","data":{"a":1}}})");
  EXPECT_EQ(rpc_request("\"q\"", "elicitation/create", {}),
            R"({"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{}})");
  EXPECT_EQ(rpc_notification("n", {{"a", 1}}),
            R"({"jsonrpc":"2.0","method":"n","params":{"a":1}})");
}

}  // namespace
}  // namespace talaria::front::mcp
