// Who is asked before a dangerous command of an MCP client runs, and how. `rm -rf` of a directory
// stands for all that is dangerous.
#include <chrono>
#include <filesystem>
#include <string>
#include <thread>

#include <boost/json/serialize.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mcp/stdio/mcp_client.h"
#include "support/talaria_test.h"

namespace talaria::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

const json::object kElicits{{"elicitation", json::object()}};

class McpApprovalTest : public TalariaTest {
 protected:
  McpApprovalTest() { world_.directory("work/precious"); }

  json::object rm() const { return {{"command", "rm -rf " + world_.path("work/precious")}}; }
  bool is_there() const { return fs::exists(world_.path("work/precious")); }

  static json::object form_of(const json::object& params) {
    return params.at("requestedSchema").at("properties").at("decision").as_object();
  }
  static void reply(McpClient& client, const json::object& request, json::object result) {
    client.send_raw(json::serialize(
        json::object{{"jsonrpc", "2.0"}, {"id", request.at("id")}, {"result", std::move(result)}}));
  }
  static json::object accepted(std::string_view word) {
    return {{"action", "accept"}, {"content", {{"decision", word}}}};
  }
  // A call of 2026-07-28, with what a client brings back.
  static int call_again(McpClient& client, json::object arguments, const json::value& state,
                        json::object answer) {
    return client.send("tools/call", {{"name", "terminal"},
                                      {"arguments", std::move(arguments)},
                                      {"requestState", state},
                                      {"inputResponses", {{"approval", std::move(answer)}}},
                                      {"_meta", McpClient::modern(kElicits)}});
  }
};

TEST_F(McpApprovalTest, AClientThatCannotAskIsToldHowAPersonApproves) {
  McpClient client(world_);
  client.initialize();
  const json::object result = client.result(client.send_call("terminal", rm()));
  EXPECT_EQ(result.at("isError"), true);
  const json::object& refused = result.at("structuredContent").as_object();
  EXPECT_EQ(refused.at("status").as_string(), "pending_approval");
  const std::string id(refused.at("approval_id").as_string());
  EXPECT_THAT(error_of(refused), HasSubstr("talaria approve " + id));
  EXPECT_TRUE(is_there());

  EXPECT_EQ(world_.run({"approve", id}).code(), 0);
  EXPECT_EQ(code_of(client.call("terminal", rm())), 0);
  EXPECT_FALSE(is_there());
}

TEST_F(McpApprovalTest, APersonIsAskedThroughTheClientAndTheCallGoesOn) {
  McpClient client(world_);
  client.initialize(kElicits);
  const int call = client.send_call("terminal", rm());
  const json::object asked = client.unasked();
  EXPECT_EQ(asked.at("method").as_string(), "elicitation/create");
  const json::object& params = asked.at("params").as_object();
  EXPECT_THAT(std::string(params.at("message").as_string()), HasSubstr("rm -rf"));
  EXPECT_EQ(form_of(params).at("type").as_string(), "string");
  EXPECT_TRUE(is_there());
  reply(client, asked, accepted("once"));
  EXPECT_EQ(code_of(client.structured(call)), 0);
  EXPECT_FALSE(is_there());
}

TEST_F(McpApprovalTest, TheFormShowsWhereItRunsAndOffersToDenyFirst) {
  McpClient client(world_, {"mcp", "--task", "site"});
  client.initialize(kElicits);
  client.run("cd " + world_.path("work"));
  const int call = client.send_call("terminal", rm());
  const json::object asked = client.unasked();
  const json::object& params = asked.at("params").as_object();
  const std::string message(params.at("message").as_string());
  EXPECT_THAT(message,
              HasSubstr("Directory: " + world_.path("work") + ", task: site, target: local"));
  EXPECT_THAT(message, HasSubstr("- command: exactly the command 'rm -rf"));
  const json::value form = form_of(params);
  EXPECT_EQ(form.at("enum").at(0), "deny");
  EXPECT_EQ(params.at("requestedSchema").at("properties").at("covers").at("enum").at(0), "command");
  reply(client, asked, accepted("once"));
  EXPECT_EQ(code_of(client.structured(call)), 0);
}

// A person takes longer than the client, which is what tells the two apart.
TEST_F(McpApprovalTest, WhatIsNoExactApprovalDenies) {
  const json::object answers[] = {
      {{"action", "decline"}}, accepted("deny"), accepted("yes"), {{"action", "accept"}}};
  McpClient client(world_);
  client.initialize(kElicits);
  for (const json::object& answer : answers) {
    const int call = client.send_call("terminal", rm());
    const json::object asked = client.unasked();
    std::this_thread::sleep_for(std::chrono::milliseconds(700));
    reply(client, asked, answer);
    const json::object refused = client.structured(call);
    EXPECT_EQ(refused.at("status").as_string(), "blocked") << json::serialize(answer);
    EXPECT_TRUE(is_there());
  }
}

// The result said that the user had refused, although nobody had asked the user.
TEST_F(McpApprovalTest, AClientThatDeclinesByItselfHasNotAskedAnybody) {
  McpClient client(world_);
  client.initialize(kElicits);
  for (const bool cancels : {false, true}) {
    const int call = client.send_call("terminal", rm());
    const json::object asked = client.unasked();
    if (cancels) std::this_thread::sleep_for(std::chrono::milliseconds(700));
    reply(client, asked, {{"action", cancels ? "cancel" : "decline"}});
    const json::object left = client.structured(call);
    EXPECT_EQ(left.at("status").as_string(), "pending_approval");
    EXPECT_THAT(error_of(left), HasSubstr("The client declined"));
    EXPECT_THAT(error_of(left), HasSubstr("talaria approve appr_"));
    EXPECT_THAT(error_of(left), Not(HasSubstr("denied by user")));
    EXPECT_TRUE(is_there());
  }
  const json::object asked =
      client.result(client.send_call("terminal", rm(), McpClient::modern(kElicits)));
  const json::object left =
      client.structured(call_again(client, rm(), asked.at("requestState"), {{"action", "cancel"}}));
  EXPECT_THAT(error_of(left), HasSubstr("The client declined"));
  const std::string id(left.at("approval_id").as_string());
  EXPECT_EQ(world_.run({"approve", id}).code(), 0) << "it is still in the queue";
  EXPECT_EQ(code_of(client.call("terminal", rm())), 0);
}

TEST_F(McpApprovalTest, AnApprovalReachesTheNextServerOfTheTask) {
  std::string id;
  {
    McpClient first(world_, {"mcp", "--task", "site"});
    first.initialize();
    first.run("cd " + world_.path("work"));
    id = first.call("terminal", rm()).at("approval_id").as_string();
    EXPECT_EQ(first.end(), 0);
  }
  EXPECT_THAT(world_.run({"approvals"}).out, HasSubstr("has ended; your answer applies once"));
  EXPECT_EQ(world_.run({"approve", id}).code(), 0);
  {
    McpClient other(world_, {"mcp", "--task", "another"});
    other.initialize();
    EXPECT_EQ(other.call("terminal", rm()).at("status").as_string(), "pending_approval");
  }
  McpClient next(world_, {"mcp", "--task", "site"});
  next.initialize();
  EXPECT_EQ(code_of(next.call("terminal", rm())), 0);
  EXPECT_FALSE(is_there());
  world_.directory("work/precious");
  EXPECT_EQ(next.call("terminal", rm()).at("status").as_string(), "pending_approval") << "once";
}

TEST_F(McpApprovalTest, ACallThatIsCancelledWhileSomebodyIsAskedDoesNotRun) {
  McpClient client(world_);
  client.initialize(kElicits);
  const int call = client.send_call("terminal", rm());
  const json::object asked = client.unasked();
  client.cancel(call);
  const json::object withdrawn = client.unasked();
  EXPECT_EQ(withdrawn.at("method").as_string(), "notifications/cancelled");
  EXPECT_EQ(withdrawn.at("params").at("requestId"), asked.at("id"));
  reply(client, asked, accepted("once"));
  EXPECT_EQ(client.run("echo next"), "next");
  EXPECT_FALSE(client.is_answered(call));
  EXPECT_TRUE(is_there());
}

// Whoever answers first decides, and the call goes on at once; the form is withdrawn.
TEST_F(McpApprovalTest, AnAnswerElsewhereWhileAFormIsOpenDecides) {
  for (const bool approved : {false, true}) {
    SCOPED_TRACE(approved);
    McpClient client(world_);
    client.initialize(kElicits);
    const int call = client.send_call("terminal", rm());
    const json::object asked = client.unasked();
    const std::string listed = world_.run({"approvals", "--json"}).out;
    const std::size_t at = listed.find("appr_");
    ASSERT_NE(at, std::string::npos) << listed;
    const std::string id = listed.substr(at, std::string_view("appr_0123456789ab").size());
    EXPECT_EQ(world_.run({approved ? "approve" : "deny", id}).code(), 0);
    const json::object withdrawn = client.unasked();
    EXPECT_EQ(withdrawn.at("method").as_string(), "notifications/cancelled");
    EXPECT_EQ(withdrawn.at("params").at("requestId"), asked.at("id"));
    const json::object ended = client.structured(call);
    EXPECT_EQ(is_there(), !approved) << json::serialize(ended);
    reply(client, asked, accepted("once"));
    EXPECT_EQ(client.run("echo next"), "next");
    EXPECT_EQ(is_there(), !approved);
  }
}

TEST_F(McpApprovalTest, AModernClientIsAskedByAResultAndCallsAgain) {
  McpClient client(world_);
  const json::object wanted =
      client.result(client.send_call("terminal", rm(), McpClient::modern(kElicits)));
  EXPECT_EQ(wanted.at("resultType").as_string(), "input_required");
  const json::object& request = wanted.at("inputRequests").at("approval").as_object();
  EXPECT_EQ(request.at("method").as_string(), "elicitation/create");
  EXPECT_TRUE(is_there());
  const json::object ran =
      client.structured(call_again(client, rm(), wanted.at("requestState"), accepted("once")));
  EXPECT_EQ(code_of(ran), 0) << json::serialize(ran);
  EXPECT_FALSE(is_there());
}

TEST_F(McpApprovalTest, StateCountsForTheCallItWasMadeFor) {
  McpClient client(world_);
  const json::object wanted =
      client.result(client.send_call("terminal", rm(), McpClient::modern(kElicits)));
  const std::string state(wanted.at("requestState").as_string());
  json::object other = rm();
  other["workdir"] = "/";
  EXPECT_EQ(
      error_code(client.answer(call_again(client, other, json::value(state), accepted("once")))),
      -32602);
  EXPECT_EQ(error_code(client.answer(
                call_again(client, rm(), json::value(state + "0"), accepted("once")))),
            -32602);
  EXPECT_TRUE(is_there());
}

}  // namespace
}  // namespace talaria::test
