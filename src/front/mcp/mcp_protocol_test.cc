#include "front/mcp/mcp_protocol.h"

#include <string>
#include <vector>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "front/mcp/request_meta.h"

namespace talaria::front::mcp {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class McpServerTest : public testing::Test {
 protected:
  McpOffer offer_{.instructions = "Do.",
                  .tools = {json::object{{"name", "terminal"}}, json::object{{"name", "process"}}}};
  McpProtocol server_{offer_};

  static json::object meta(json::object capabilities = {}) {
    return {{kMetaVersion, kModernVersion}, {kMetaCapabilities, std::move(capabilities)}};
  }
  static std::string request(json::value id, std::string_view method, json::object params = {}) {
    return json::serialize(json::object{
        {"jsonrpc", "2.0"}, {"id", std::move(id)}, {"method", method}, {"params", params}});
  }
  static std::string modern(json::value id, std::string_view method, json::object params = {},
                            json::object capabilities = {}) {
    params["_meta"] = meta(std::move(capabilities));
    return request(std::move(id), method, std::move(params));
  }
  static std::string notification(std::string_view method, json::object params) {
    return json::serialize(
        json::object{{"jsonrpc", "2.0"}, {"method", method}, {"params", std::move(params)}});
  }

  // The one message that is sent at once.
  json::object answer(const std::string& message) {
    const auto actions = server_.take(message);
    if (actions.size() != 1 || !std::holds_alternative<McpSend>(actions[0])) {
      ADD_FAILURE() << "no single answer to " << message;
      return {};
    }
    return json::parse(std::get<McpSend>(actions[0]).text).as_object();
  }
  json::object result(const std::string& message) {
    const json::object reply = answer(message);
    if (!reply.contains("result")) ADD_FAILURE() << json::serialize(reply);
    return reply.contains("result") ? reply.at("result").as_object() : json::object();
  }
  std::int64_t code(const std::string& message) {
    const json::object reply = answer(message);
    return reply.contains("error") ? reply.at("error").at("code").as_int64() : 0;
  }
  // The call a message becomes.
  McpCall call(const std::string& message) {
    auto actions = server_.take(message);
    if (actions.size() != 1 || !std::holds_alternative<McpCall>(actions[0])) {
      ADD_FAILURE() << "no call: " << message;
      return {};
    }
    return std::get<McpCall>(std::move(actions[0]));
  }
  void initialize(json::object capabilities = {}) {
    result(request(0, "initialize",
                   {{"protocolVersion", "2025-11-25"},
                    {"capabilities", std::move(capabilities)},
                    {"clientInfo", {{"name", "c"}, {"version", "1"}}}}));
  }
  static json::object parsed(const std::optional<McpSend>& message) {
    return message ? json::parse(message->text).as_object() : json::object();
  }
};

// The era of `initialize`.

TEST_F(McpServerTest, AVersionWeKnowIsAgreedOnAndAnotherAnsweredWithTheNewest) {
  const struct {
    const char* asked;
    const char* agreed;
  } cases[] = {{"2025-11-25", "2025-11-25"}, {"2025-06-18", "2025-06-18"},
               {"2025-03-26", "2025-03-26"}, {"2024-11-05", "2024-11-05"},
               {"2026-07-28", "2025-11-25"}, {"1999-01-01", "2025-11-25"}};
  for (const auto& c : cases) {
    const json::object reply =
        result(request(1, "initialize", {{"protocolVersion", c.asked}, {"capabilities", {}}}));
    EXPECT_EQ(reply.at("protocolVersion").as_string(), c.agreed);
    EXPECT_EQ(reply.at("serverInfo").at("name").as_string(), "talaria");
    EXPECT_EQ(reply.at("instructions").as_string(), "Do.");
    EXPECT_TRUE(reply.at("capabilities").as_object().contains("tools"));
    EXPECT_FALSE(reply.contains("resultType"));
  }
  EXPECT_EQ(code(request(2, "initialize")), kRpcInvalidParams);
}

TEST_F(McpServerTest, WhatALegacyClientAsksIsAnsweredInItsShape) {
  initialize();
  EXPECT_THAT(server_.take(notification("notifications/initialized", {})), IsEmpty());
  EXPECT_EQ(json::serialize(result(request("p", "ping"))), "{}");
  const json::object listed = result(request(1, "tools/list"));
  EXPECT_EQ(listed.at("tools").as_array().size(), 2u);
  EXPECT_FALSE(listed.contains("ttlMs"));
  EXPECT_TRUE(result(request(2, "resources/list")).contains("resources"));
  EXPECT_TRUE(result(request(3, "resources/templates/list")).contains("resourceTemplates"));
}

// A client that waits for the answer to a method it only probes for hangs at its start.
TEST_F(McpServerTest, WhatWeDoNotKnowIsRefusedAtOnceAndWhatIsNotARequestIsNotAnswered) {
  EXPECT_EQ(code(request(1, "nope")), kRpcMethodNotFound);
  EXPECT_EQ(code(request(2, "prompts/list")), kRpcMethodNotFound);
  EXPECT_EQ(code(request(3, "logging/setLevel", {{"level", "info"}})), kRpcMethodNotFound);
  EXPECT_EQ(code(request(4, "completion/complete")), kRpcMethodNotFound);
  EXPECT_EQ(code(request(5, "tools/list", {{"cursor", "x"}})), kRpcInvalidParams);
  EXPECT_THAT(server_.take(notification("notifications/nope", {})), IsEmpty());
  EXPECT_THAT(server_.take(R"({"jsonrpc":"2.0","id":"talaria-1","result":{}})"), IsEmpty());
}

// The era without sessions.

TEST_F(McpServerTest, DiscoveryTellsVersionsAndWhatThereIs) {
  const json::object reply = result(modern(1, "server/discover"));
  EXPECT_EQ(reply.at("supportedVersions").at(0).as_string(), kModernVersion);
  EXPECT_EQ(reply.at("resultType").as_string(), "complete");
  EXPECT_EQ(reply.at("_meta").at(kMetaServerInfo).at("name").as_string(), "talaria");
  EXPECT_TRUE(reply.contains("ttlMs"));
  EXPECT_TRUE(reply.contains("cacheScope"));
  EXPECT_FALSE(server_.initialized());
}

TEST_F(McpServerTest, AModernListSaysHowLongItMayBeKept) {
  for (const char* method : {"tools/list", "resources/list", "resources/templates/list"}) {
    const json::object reply = result(modern(1, method));
    EXPECT_GE(reply.at("ttlMs").as_int64(), 0);
    EXPECT_EQ(reply.at("cacheScope").as_string(), "private");
    EXPECT_EQ(reply.at("resultType").as_string(), "complete");
  }
}

TEST_F(McpServerTest, MethodsThatWereRemovedAreUnknownToAModernRequest) {
  for (const char* method : {"initialize", "ping", "logging/setLevel", "resources/subscribe",
                             "resources/unsubscribe", "unknown/method"}) {
    EXPECT_EQ(code(modern(1, method, {{"uri", "x"}})), kRpcMethodNotFound) << method;
  }
}

TEST_F(McpServerTest, ARequestHasToSayWhatItIs) {
  EXPECT_EQ(code(request(1, "tools/list", {{"_meta", {{kMetaVersion, kModernVersion}}}})),
            kRpcInvalidParams);
  EXPECT_EQ(code(request(1, "tools/list", {{"_meta", {{kMetaVersion, 7}}}})), kRpcInvalidParams);
  json::object meta_of_another = meta();
  meta_of_another[kMetaVersion] = "v999";
  const json::object reply =
      answer(request(1, "tools/list", {{"_meta", std::move(meta_of_another)}}));
  EXPECT_EQ(reply.at("error").at("code").as_int64(), kMcpUnsupportedVersion);
  EXPECT_EQ(reply.at("error").at("data").at("requested").as_string(), "v999");
  EXPECT_EQ(reply.at("error").at("data").at("supported").at(0).as_string(), kModernVersion);
}

// Both eras on one connection: each request is what it says.
TEST_F(McpServerTest, AModernRequestDoesNotInheritWhatInitializeSaid) {
  initialize({{"elicitation", json::object()}});
  EXPECT_TRUE(can_elicit(call(request(1, "tools/call", {{"name", "terminal"}})).request));
  EXPECT_FALSE(can_elicit(call(modern(2, "tools/call", {{"name", "terminal"}})).request));
  EXPECT_TRUE(can_elicit(
      call(modern(3, "tools/call", {{"name", "terminal"}}, {{"elicitation", {{"form", {}}}}}))
          .request));
  EXPECT_FALSE(can_elicit(call(modern(4, "tools/call", {{"name", "terminal"}},
                                      {{"elicitation", {{"url", json::object()}}}}))
                              .request));
}

// Calls.

TEST_F(McpServerTest, ACallIsHandedOnAndItsAnswerSentOnce) {
  const McpCall made =
      call(request("a", "tools/call", {{"name", "terminal"}, {"arguments", {{"command", "ls"}}}}));
  EXPECT_EQ(made.request.key, "\"a\"");
  EXPECT_EQ(made.tool, "terminal");
  EXPECT_EQ(made.arguments.at("command").as_string(), "ls");
  const auto sent = server_.answer("\"a\"", json::object{{"content", json::array()}});
  ASSERT_TRUE(sent);
  EXPECT_TRUE(sent->last);
  EXPECT_EQ(sent->text, R"({"jsonrpc":"2.0","id":"a","result":{"content":[]}})");
  EXPECT_FALSE(server_.answer("\"a\"", json::object()));
  EXPECT_EQ(server_.under_way(), 0u);
}

TEST_F(McpServerTest, ACallThatMakesNoSenseIsAnErrorOfTheProtocol) {
  EXPECT_EQ(code(request(1, "tools/call")), kRpcInvalidParams);
  EXPECT_EQ(code(request(1, "tools/call", {{"name", "nope"}})), kRpcInvalidParams);
  EXPECT_EQ(code(request(1, "tools/call", {{"name", "terminal"}, {"arguments", 7}})),
            kRpcInvalidParams);
  EXPECT_EQ(code(request(1, "resources/read")), kRpcInvalidParams);
  EXPECT_EQ(server_.under_way(), 0u);
}

TEST_F(McpServerTest, AnIdThatIsUnderWayIsRefusedAndTheFirstCallGoesOn) {
  call(request(1, "tools/call", {{"name", "terminal"}}));
  EXPECT_EQ(code(request(1, "tools/call", {{"name", "terminal"}})), kRpcInvalidRequest);
  EXPECT_TRUE(server_.answer("1", json::object()));
}

TEST_F(McpServerTest, NothingIsSaidAboutACallThatWasCancelled) {
  call(request(1, "tools/call", {{"name", "terminal"}, {"_meta", {{"progressToken", "t"}}}}));
  call(request(2, "tools/call", {{"name", "terminal"}}));
  const auto actions = server_.take(notification("notifications/cancelled", {{"requestId", 1}}));
  ASSERT_EQ(actions.size(), 1u);
  EXPECT_EQ(std::get<McpCancel>(actions[0]).key, "1");
  EXPECT_FALSE(server_.progress("1", 1, ""));
  EXPECT_FALSE(server_.answer("1", json::object()));
  EXPECT_TRUE(server_.answer("2", json::object()));
  EXPECT_THAT(server_.take(notification("notifications/cancelled", {{"requestId", 9}})), IsEmpty());
  EXPECT_THAT(server_.take(notification("notifications/cancelled", {})), IsEmpty());
}

TEST_F(McpServerTest, ProgressIsToldOnlyToWhoAskedForIt) {
  call(request(1, "tools/call", {{"name", "terminal"}, {"_meta", {{"progressToken", 7}}}}));
  call(request(2, "tools/call", {{"name", "terminal"}}));
  EXPECT_EQ(json::serialize(parsed(server_.progress("1", 2, "half", 4)).at("params")),
            R"({"progressToken":7,"progress":2,"total":4,"message":"half"})");
  EXPECT_FALSE(server_.progress("2", 2, ""));
}

TEST_F(McpServerTest, TraceContextBecomesVariables) {
  const McpCall made = call(request(
      1, "tools/call",
      {{"name", "terminal"},
       {"_meta",
        {{"traceparent", "00-a-b-01"}, {"tracestate", "x=1"}, {"baggage", "bad\nvalue"}}}}));
  EXPECT_THAT(made.request.variables, ElementsAre("TRACEPARENT=00-a-b-01", "TRACESTATE=x=1"));
}

TEST_F(McpServerTest, WhatAClientBringsBackIsHandedOn) {
  const McpCall made = call(modern(1, "tools/call",
                                   {{"name", "terminal"},
                                    {"requestState", "s"},
                                    {"inputResponses", {{"approval", {{"action", "accept"}}}}}}));
  EXPECT_EQ(made.request_state, "s");
  EXPECT_TRUE(made.input_responses.contains("approval"));
}

// Asking.

TEST_F(McpServerTest, AQuestionOfOursIsAnsweredOnce) {
  initialize({{"elicitation", json::object()}});
  call(request(1, "tools/call", {{"name", "terminal"}}));
  const json::object asked = parsed(server_.ask("1", "elicitation/create", {{"message", "?"}}));
  EXPECT_EQ(asked.at("method").as_string(), "elicitation/create");
  const std::string reply = json::serialize(
      json::object{{"jsonrpc", "2.0"}, {"id", asked.at("id")}, {"result", {{"action", "accept"}}}});
  const auto actions = server_.take(reply);
  ASSERT_EQ(actions.size(), 1u);
  EXPECT_EQ(std::get<McpElicited>(actions[0]).key, "1");
  EXPECT_TRUE(std::get<McpElicited>(actions[0]).result);
  EXPECT_THAT(server_.take(reply), IsEmpty());
}

TEST_F(McpServerTest, AnAnswerToACancelledCallIsNotWanted) {
  call(request(1, "tools/call", {{"name", "terminal"}}));
  const json::object asked = parsed(server_.ask("1", "elicitation/create", {}));
  server_.take(notification("notifications/cancelled", {{"requestId", 1}}));
  EXPECT_THAT(server_.take(json::serialize(json::object{
                  {"jsonrpc", "2.0"}, {"id", asked.at("id")}, {"result", json::object()}})),
              IsEmpty());
}

// Subscriptions.

TEST_F(McpServerTest, ASubscriptionIsAcknowledgedBeforeAnythingElse) {
  const auto actions = server_.take(modern(
      "s", "subscriptions/listen",
      {{"notifications", {{"toolsListChanged", true}, {"resourceSubscriptions", {"u", "v"}}}}}));
  ASSERT_EQ(actions.size(), 3u);
  const McpSend& first = std::get<McpSend>(actions[0]);
  EXPECT_FALSE(first.last);
  EXPECT_EQ(
      json::serialize(json::parse(first.text).at("params")),
      R"({"notifications":{"resourceSubscriptions":["u","v"]},"_meta":{"io.modelcontextprotocol/subscriptionId":"s"}})");
  EXPECT_EQ(std::get<McpWatch>(actions[1]).uri, "u");

  const auto reply = server_.resource_changed("u");
  ASSERT_EQ(reply.size(), 1u);
  EXPECT_EQ(reply[0].about, "\"s\"");
  EXPECT_TRUE(server_.resource_changed("w").empty());

  const auto ended = server_.take(notification("notifications/cancelled", {{"requestId", "s"}}));
  ASSERT_EQ(ended.size(), 2u);
  EXPECT_FALSE(std::get<McpWatch>(ended[0]).wanted);
  EXPECT_TRUE(server_.resource_changed("u").empty());
}

TEST_F(McpServerTest, ALegacySubscriptionIsOneOfAll) {
  auto actions = server_.take(request(1, "resources/subscribe", {{"uri", "u"}}));
  ASSERT_EQ(actions.size(), 2u);
  EXPECT_TRUE(std::get<McpWatch>(actions[1]).wanted);
  EXPECT_EQ(server_.take(request(2, "resources/subscribe", {{"uri", "u"}})).size(), 1u);
  EXPECT_EQ(server_.resource_changed("u").size(), 1u);
  actions = server_.take(request(3, "resources/unsubscribe", {{"uri", "u"}}));
  ASSERT_EQ(actions.size(), 2u);
  EXPECT_FALSE(std::get<McpWatch>(actions[1]).wanted);
  EXPECT_TRUE(server_.resource_changed("u").empty());
}

TEST_F(McpServerTest, SubscriptionsOfOneClientAreBoundedAllTogether) {
  const auto listen = [this](int id, int resources) {
    json::array uris;
    for (int i = 0; i < resources; ++i) uris.emplace_back("u" + std::to_string(i));
    const auto actions = server_.take(
        modern(id, "subscriptions/listen", {{"notifications", {{"resourceSubscriptions", uris}}}}));
    return std::get<McpSend>(actions[0]);
  };
  EXPECT_FALSE(listen(1, 200).last);
  const McpSend some = listen(2, 200);
  EXPECT_EQ(json::parse(some.text)
                .at("params")
                .at("notifications")
                .at("resourceSubscriptions")
                .as_array()
                .size(),
            56u);
  EXPECT_EQ(listen(3, 1).error, kRpcInvalidParams);
  EXPECT_EQ(listen(4, 0).error, kRpcInvalidParams);
  EXPECT_EQ(code(request(5, "resources/subscribe", {{"uri", "u"}})), kRpcInvalidParams);
  server_.take(notification("notifications/cancelled", {{"requestId", 2}}));
  EXPECT_EQ(listen(6, 1).error, 0);
}

// With it, its client would take the error for the answer to the first.
TEST_F(McpServerTest, AnIdThatIsUnderWayIsRefusedWithoutIt) {
  call(request(1, "tools/call", {{"name", "terminal"}}));
  const json::object reply = answer(request(1, "ping"));
  EXPECT_EQ(reply.at("error").at("code").as_int64(), kRpcInvalidRequest);
  EXPECT_FALSE(reply.contains("id"));
}

TEST_F(McpServerTest, SubscriptionsThatEndAreTold) {
  server_.take(modern("s", "subscriptions/listen", {{"notifications", json::object()}}));
  const auto reply = server_.end_subscriptions();
  ASSERT_EQ(reply.size(), 1u);
  EXPECT_TRUE(reply[0].last);
  EXPECT_EQ(json::parse(reply[0].text).at("result").at("_meta").at(kMetaSubscription).as_string(),
            "s");
}

}  // namespace
}  // namespace talaria::front::mcp
