// The agents that people use, and the Inspector, as npm has them, with scripted models. Each has a
// HOME of its own and a network that is only the loopback: it can reach its model, and no service.
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "mcp/clients/node.h"
#include "support/talaria_test.h"

namespace talaria::test {
namespace {

class AgentFixture : public TalariaTest {
 protected:
  void SetUp() override {
    if (!Node::is_there()) GTEST_SKIP() << Node::kWhy;
    world_.set("TALARIA_CLIENT_MODULES", std::getenv("TALARIA_CLIENT_MODULES"));
    world_.set("TERMINAL_CWD", world_.directory("project"));  // some agents pass no variables on
  }

  void drive(const std::string& driver, std::vector<std::string> words = {}) {
    const char* const alone = R"(ip link set lo up && exec "$@")";
    words.insert(words.begin(),
                 {"unshare", ::geteuid() == 0 ? "-n" : "-rn", "sh", "-c", alone, "sh",
                  std::getenv("TALARIA_NODE"), std::string(TALARIA_MCP_AGENTS "/") + driver});
    const Finished ended = Node::run_program(world_, std::move(words));
    EXPECT_EQ(ended.code(), 0) << ended.out << ended.err;
  }
};

class McpAgentTest : public AgentFixture, public testing::WithParamInterface<const char*> {};

TEST_P(McpAgentTest, CallsWaitsIsNotifiedIsApprovedAndInterrupted) {
  drive("agent.cjs", {GetParam()});
}

INSTANTIATE_TEST_SUITE_P(Of, McpAgentTest, testing::Values("codex", "opencode", "gemini"),
                         [](const auto& info) { return std::string(info.param); });

class McpInspectorTest : public AgentFixture {};

TEST_F(McpInspectorTest, CallsWaitsIsApprovedAndInterrupted) { drive("inspector.cjs"); }

class McpTokensTest : public AgentFixture {};

// Every request to a model carries the list.
TEST_F(McpTokensTest, TheListOfToolsIsShort) { drive("tokens.cjs", {"2800"}); }

}  // namespace
}  // namespace talaria::test
