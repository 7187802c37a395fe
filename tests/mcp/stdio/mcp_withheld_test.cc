// What commands of an MCP client inherit of the server's environment.
#include <string>

#include <gtest/gtest.h>

#include "mcp/stdio/mcp_client.h"
#include "support/talaria_test.h"
#include "support/withheld_variables.h"

namespace talaria::test {
namespace {

class McpWithheldTest : public TalariaTest {};

TEST_F(McpWithheldTest, NoCommandHasASecretOfTheServer) {
  set_withheld_variables(world_);
  const std::string inherited = std::string(kCarried) + " " + std::string(kForScripts);
  McpClient client(world_);
  client.initialize();
  EXPECT_EQ(trim_end(client.run(kShowPlanted)), inherited);
  const json::object started =
      client.call("terminal", {{"command", kShowPlanted}, {"background", true}});
  const json::object ended =
      client.call("process", {{"action", "wait"}, {"session_id", started.at("session_id")}});
  EXPECT_EQ(trim_end(output_of(ended)), inherited);
  const json::object script = client.call("execute_code", {{"code", kShowPlantedByPython}});
  EXPECT_EQ(trim_end(output_of(script)), std::string(kForScripts));
  EXPECT_EQ(client.end(), 0);
}

}  // namespace
}  // namespace talaria::test
