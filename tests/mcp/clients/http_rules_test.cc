// /mcp by hand: tokens, sessions, headers, who sees what, and streams that are closed.
#include <gtest/gtest.h>

#include "mcp/clients/node.h"
#include "support/talaria_test.h"

namespace talaria::test {
namespace {

class McpHttpTest : public TalariaTest {};

TEST_F(McpHttpTest, TokensSessionsHeadersTenantsAndClosedStreams) {
  if (!Node::is_there()) GTEST_SKIP() << Node::kWhy;
  const Finished ended = Node::run(world_, "http_rules.cjs", {});
  EXPECT_EQ(ended.code(), 0) << ended.out << ended.err;
}

}  // namespace
}  // namespace talaria::test
