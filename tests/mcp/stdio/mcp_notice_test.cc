// What an MCP client learns without asking: events of background processes, and what a command
// prints while its call runs.
#include <signal.h>

#include <fstream>
#include <string>

#include <boost/json/serialize.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mcp/stdio/mcp_client.h"
#include "support/talaria_test.h"

namespace talaria::test {
namespace {

using testing::HasSubstr;
using testing::Not;

class McpNoticeTest : public TalariaTest {
 protected:
  // Starts `command`, which waits for the file `go` first.
  static std::string start(McpClient& client, const std::string& command, json::object more) {
    more["command"] = "until [ -e ../go ]; do sleep 0.01; done; " + command;
    more["background"] = true;
    return std::string(client.call("terminal", std::move(more)).at("session_id").as_string());
  }

  // Not by a command: its result might already have the notice.
  void create(const std::string& file) { std::ofstream(world_.path(file)).flush(); }

  static json::object data_of(const json::object& notification) {
    EXPECT_EQ(notification.at("method").as_string(), "notifications/message");
    EXPECT_EQ(notification.at("params").at("level").as_string(), "notice");
    return notification.at("params").at("data").as_object();
  }

  // The notice at the head of the next result.
  static std::string first_notice(const json::object& result) {
    if (result.begin()->key() != "notices") return "none: " + json::serialize(result);
    return std::string(result.at("notices").at(0).as_string());
  }
};

// Nothing of this was ever delivered, although the tool urges its use.
TEST_F(McpNoticeTest, AnEndIsReportedAndAtTheHeadOfTheNextResult) {
  McpClient client(world_);
  client.initialize();
  const std::string id = start(client, "echo built; exit 3", {{"notify_on_complete", true}});
  create("go");
  const json::object event = data_of(client.unasked());
  EXPECT_EQ(event.at("type").as_string(), "completion");
  EXPECT_EQ(event.at("session_id").as_string(), id);
  const json::object next = client.call("terminal", {{"command", "echo next"}});
  EXPECT_THAT(first_notice(next), HasSubstr(id + " exited (exit code 3)"));
  EXPECT_THAT(first_notice(next), HasSubstr("built"));
  EXPECT_EQ(output_of(next), "next");
  EXPECT_FALSE(client.call("terminal", {{"command", "true"}}).contains("notices")) << "once";
}

TEST_F(McpNoticeTest, AMatchIsReportedAndAtTheHeadOfTheNextResult) {
  McpClient client(world_);
  client.initialize();
  const std::string id = start(client, "echo Listening on 7; sleep 1000",
                               {{"watch_patterns", json::array{"Listening"}}});
  create("go");
  EXPECT_EQ(data_of(client.unasked()).at("type").as_string(), "watch_match");
  const json::object next = client.call("read_file", {{"path", "/etc/hostname"}});
  EXPECT_THAT(first_notice(next), HasSubstr("matched watch pattern \"Listening\""));
  client.call("process", {{"action", "kill"}, {"session_id", id}});
}

TEST_F(McpNoticeTest, AnEndThatWasWaitedForIsNotReportedAgain) {
  McpClient client(world_);
  client.initialize();
  const std::string id = start(client, "true", {{"notify_on_complete", true}});
  create("go");
  const json::object ended = client.call("process", {{"action", "wait"}, {"session_id", id}});
  EXPECT_EQ(ended.at("status").as_string(), "exited");
  EXPECT_FALSE(ended.contains("notices")) << json::serialize(ended);
  EXPECT_FALSE(client.call("terminal", {{"command", "sleep 0.2"}}).contains("notices"));
}

TEST_F(McpNoticeTest, AnotherClientIsNotTold) {
  McpClient client(world_);
  McpClient other(world_);
  client.initialize();
  other.initialize();
  const std::string id = start(other, "sleep 1000", {{"notify_on_complete", true}});
  start(client, "true", {{"notify_on_complete", true}});
  create("go");
  data_of(client.unasked());
  const json::object next = other.call("terminal", {{"command", "sleep 0.2"}});
  EXPECT_FALSE(next.contains("notices")) << json::serialize(next);
  other.call("process", {{"action", "kill"}, {"session_id", id}});
}

// A client that wants fewer messages still has it in a result, as have those since 2026-07-28.
TEST_F(McpNoticeTest, AClientThatWantsNoMessagesHasItInAResult) {
  McpClient client(world_);
  client.initialize();
  client.ask("logging/setLevel", {{"level", "error"}});
  const std::string id = start(client, "true", {{"notify_on_complete", true}});
  create("go");
  EXPECT_TRUE(eventually([&] {
    const json::object next = client.call("terminal", {{"command", "true"}});
    return first_notice(next).contains(id);
  }));
  EXPECT_THAT(client.program().out(), Not(HasSubstr("notifications/message")));
}

TEST_F(McpNoticeTest, TheNextServerOfANamedTaskReportsWhatEndedMeanwhile) {
  std::string id;
  {
    McpClient first(world_, {"mcp", "--task", "site"});
    first.initialize();
    id = start(first, "true", {{"notify_on_complete", true}});
    first.program().kill(SIGKILL);
  }
  for (const bool again : {false, true}) {
    McpClient next(world_, {"mcp", "--task", "site"});
    next.initialize();
    if (!again) {
      next.run("true");  // from here on it follows events
      create("go");
      EXPECT_EQ(data_of(next.unasked()).at("session_id").as_string(), id);
    }
    const json::object result = next.call("terminal", {{"command", "sleep 0.2"}});
    EXPECT_EQ(result.contains("notices"), !again) << json::serialize(result);
    EXPECT_EQ(next.end(), 0);
  }
}

// It said only that the call continues.
TEST_F(McpNoticeTest, ProgressCarriesWhatWasPrintedLately) {
  McpClient client(world_);
  client.initialize();
  const std::string command =
      "echo first; until [ -e ../go ]; do sleep 0.01; done; echo TOKEN=ghp_" +
      std::string(36, 'a') + "; until [ -e ../on ]; do sleep 0.01; done";
  const auto next_with = [&](const std::string& text) {
    return eventually([&] {
      const json::object told = client.unasked();
      return std::string(told.at("params").at("message").as_string()).contains(text);
    });
  };
  const int call = client.send_call("terminal", {{"command", command}, {"yield_ms", 0}},
                                    {{"progressToken", "p"}});
  EXPECT_TRUE(next_with("its last output:\nfirst"));
  create("go");
  EXPECT_TRUE(next_with("first\nTOKEN="));
  create("on");
  EXPECT_EQ(code_of(client.structured(call)), 0);
  EXPECT_EQ(client.program().out().find("\"message\":\"terminal has been running for 1 s; its last "
                                        "output:\\nfirst\\nTOKEN=ghp_aaaaaaaaaa"),
            std::string::npos);

  const std::string id(
      client.call("terminal", {{"command", "echo waited; sleep 1000"}, {"background", true}})
          .at("session_id")
          .as_string());
  const int wait =
      client.send_call("process", {{"action", "wait"}, {"session_id", id}, {"timeout", 60}},
                       {{"progressToken", "q"}});
  EXPECT_TRUE(next_with("its last output:\nwaited"));
  client.call("process", {{"action", "kill"}, {"session_id", id}});
  client.structured(wait);
}

}  // namespace
}  // namespace talaria::test
