// The official conformance suite: everything a revision of the protocol requires of servers.
#include <gtest/gtest.h>

#include "mcp/clients/node.h"
#include "support/talaria_test.h"

namespace talaria::test {
namespace {

class McpConformanceTest : public TalariaTest, public testing::WithParamInterface<const char*> {
 protected:
  void SetUp() override {
    if (!Node::is_there()) GTEST_SKIP() << Node::kWhy;
  }
};

TEST_P(McpConformanceTest, AllThatIsRequiredHolds) {
  world_.set("TALARIA_MCP_CONFORMANCE", TALARIA_MCP_CONFORMANCE);
  const Finished ended = Node::run(world_, "conformance.cjs", {GetParam()});
  EXPECT_EQ(ended.code(), 0) << ended.out << ended.err;
}

INSTANTIATE_TEST_SUITE_P(Revision, McpConformanceTest, testing::Values("2025-11-25", "2026-07-28"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::erase(name, '-');
                           return name;
                         });

}  // namespace
}  // namespace talaria::test
