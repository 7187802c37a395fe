// Scripts that continue after their call, when the server that runs them ends.
#include <signal.h>

#include <optional>
#include <string>

#include <boost/json/serialize.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mcp/stdio/mcp_client.h"
#include "support/talaria_test.h"

namespace talaria::test {
namespace {

using testing::HasSubstr;

class McpKeptScriptTest : public TalariaTest {
 protected:
  McpKeptScriptTest() { world_.set("HERMES_YOLO_MODE", "1"); }  // scripts are asked about

  // A script that waits for the file `go`, then calls a tool. It outlives its call.
  std::string start(McpClient& client) {
    const std::string script =
        "import os, time\nfrom hermes_tools import terminal\nwhile not "
        "os.path.exists('" +
        world_.path("go") + "'):\n  time.sleep(0.01)\nprint(terminal('echo from the tool'))\n";
    const json::object kept = client.call("execute_code", {{"code", script}, {"yield_ms", 200}});
    EXPECT_EQ(kept.at("status").as_string(), "running") << json::serialize(kept);
    return std::string(kept.at("session_id").as_string());
  }

  static json::object look(McpClient& client, std::string_view action, const std::string& id) {
    return client.call("process", {{"action", action}, {"session_id", id}});
  }
};

// It ended with its server.
TEST_F(McpKeptScriptTest, ItOutlivesTheServerAndTheNextOneHasItsAnswer) {
  const std::optional<int> signals[] = {std::nullopt, SIGTERM, SIGINT, SIGKILL};
  for (const auto& signal : signals) {
    SCOPED_TRACE(signal.value_or(0));
    std::string id;
    {
      McpClient first(world_);
      first.initialize();
      id = start(first);
      if (signal) first.program().kill(*signal);
      if (!signal) EXPECT_EQ(first.end(), 0);
      EXPECT_TRUE(first.program().wait());
    }
    McpClient next(world_);
    next.initialize();
    EXPECT_EQ(look(next, "poll", id).at("status").as_string(), "running");
    next.run("touch " + world_.path("go"));
    const json::object ended = look(next, "wait", id);
    EXPECT_EQ(ended.at("status").as_string(), "success") << json::serialize(ended);
    EXPECT_THAT(output_of(ended), HasSubstr("from the tool"));
    EXPECT_EQ(look(next, "wait", id), ended);
    next.run("rm " + world_.path("go"));
    EXPECT_EQ(next.end(), 0);
  }
}

TEST_F(McpKeptScriptTest, AnotherServerEndsIt) {
  std::string id;
  {
    McpClient first(world_);
    first.initialize();
    id = start(first);
    EXPECT_EQ(first.end(), 0);
  }
  McpClient next(world_);
  next.initialize();
  EXPECT_EQ(look(next, "kill", id).at("status").as_string(), "interrupted");
}

TEST_F(McpKeptScriptTest, OneWhoseProgramWasKilledIsLost) {
  McpClient first(world_);
  first.initialize();
  const std::string id = start(first);
  // The server is the child of the process that the client sees.
  const std::string server =
      trim_end(world_.run({"exec", "pgrep -P " + std::to_string(first.program().pid())}).out);
  ASSERT_EQ(::kill(std::stoi(server), SIGKILL), 0);
  EXPECT_TRUE(first.program().wait());
  McpClient next(world_);
  next.initialize();
  EXPECT_EQ(look(next, "wait", id).at("status").as_string(), "lost");
}

}  // namespace
}  // namespace talaria::test
