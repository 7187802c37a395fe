#include "tools/script/script_dispatch.h"

#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/fake_call.h"
#include "testing/fake_environment.h"
#include "testing/open_policy.h"
#include "testing/run_to_end.h"

namespace talaria::tool {
namespace {

using testing::HasSubstr;

// An answer may be under way when the call that the script was is over.
TEST(ScriptDispatch, DoesNotNeedTheCallItBelongsTo) {
  const auto fake = std::make_shared<test::FakeTarget>();
  host::Host host = fake_host(fake);
  test::OpenPolicy policy(host);
  auto call =
      std::make_unique<ToolCall>(test::tool_call(host, policy, {{"code", "x"}}, {.task = "mine"}));
  ScriptDispatch dispatch(*call, {"terminal"}, 5);
  call->context.task = "another";
  call.reset();
  const std::string answer = test::run_to_end(dispatch.answer(
      R"({"id": 3, "tool": "terminal", "args": {"command": "ls"}})", CancelToken()));
  EXPECT_THAT(answer, HasSubstr(R"("id":3)"));
  ASSERT_EQ(fake->asked.size(), 1u);
  EXPECT_EQ(fake->asked[0].session, "mine");
}

}  // namespace
}  // namespace talaria::tool
