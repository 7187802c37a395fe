// The official SDKs drive Talaria, as clients people use do. The drivers are the *.cjs files here;
// what one of them says is shown when it fails.
#include <cstdlib>
#include <tuple>

#include <gtest/gtest.h>

#include "mcp/clients/node.h"
#include "support/talaria_test.h"

namespace talaria::test {
namespace {

// Which SDK, over which transport.
class McpDriversTest : public TalariaTest,
                       public testing::WithParamInterface<std::tuple<const char*, const char*>> {
 protected:
  void SetUp() override {
    if (!Node::is_there()) GTEST_SKIP() << Node::kWhy;
  }

  void drive(const std::string& driver) {
    const auto [sdk, transport] = GetParam();
    const Finished ended = Node::run(world_, driver, {sdk, transport});
    EXPECT_EQ(ended.code(), 0) << ended.out << ended.err;
  }
};

TEST_P(McpDriversTest, EveryTool) { drive("every_tool.cjs"); }

TEST_P(McpDriversTest, AnAfternoonOfAnAgent) { drive("story.cjs"); }

INSTANTIATE_TEST_SUITE_P(Http, McpDriversTest,
                         testing::Combine(testing::Values("v1", "v2", "modern", "auto"),
                                          testing::Values("http")),
                         [](const auto& info) { return std::string(std::get<0>(info.param)); });

INSTANTIATE_TEST_SUITE_P(Stdio, McpDriversTest,
                         testing::Combine(testing::Values("v1", "v2", "modern", "auto"),
                                          testing::Values("stdio")),
                         [](const auto& info) { return std::string(std::get<0>(info.param)); });

// A client that sends no cancel.
class McpVercelTest : public TalariaTest, public testing::WithParamInterface<const char*> {};

TEST_P(McpVercelTest, CallsToolsAndGivesThemUp) {
  if (!Node::is_there()) GTEST_SKIP() << Node::kWhy;
  const Finished ended = Node::run(world_, "vercel.cjs", {GetParam()});
  EXPECT_EQ(ended.code(), 0) << ended.out << ended.err;
}

INSTANTIATE_TEST_SUITE_P(Transports, McpVercelTest, testing::Values("stdio", "http"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace talaria::test
