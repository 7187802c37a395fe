#include <signal.h>

#include <memory>
#include <stdexcept>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "front/cli/fronts.h"
#include "front/cli/report.h"
#include "front/run_loop.h"
#include "testing/fake_environment.h"
#include "testing/fake_runtime.h"
#include "testing/pipe.h"

namespace talaria::front::cli {
namespace {

using testing::HasSubstr;

class CallFront : public testing::Test {
 protected:
  int call(CallOptions options) {
    asio::io_context loop(1);
    AsioRuntime runtime = fake_runtime(loop.get_executor(), fake_);
    const Stdio stdio{-1, out_.writer(), err_.writer()};
    return run_front(loop, run_command(runtime, std::move(options), stdio), stdio, kFailed);
  }

  std::shared_ptr<test::FakeTarget> fake_ = std::make_shared<test::FakeTarget>();
  test::Pipe out_, err_;
};

TEST_F(CallFront, PrintsTheResultAndExitsByItsError) {
  const struct {
    const char* name;
    CallOptions options;
    int expected;
    std::string printed;
  } cases[] = {
      {"a result", {"terminal", R"({"command":"x"})", ""}, 0, R"("error":null)"},
      {"a result with an error", {"terminal", "{}", ""}, 1, "expected string, got nothing"},
      {"an error alone",
       {"terminal", R"({"command":"x","timeout":601})", ""},
       1,
       R"({"error":"Fore)"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(call(c.options), c.expected);
    EXPECT_THAT(out_.read_available(), HasSubstr(c.printed));
    EXPECT_EQ(err_.read_available(), "");
  }
}

TEST_F(CallFront, BadUsageIsToldApart) {
  const struct {
    const char* name;
    CallOptions options;
    std::string message;
  } cases[] = {
      {"no such tool", {"teleport", "{}", ""}, "unknown tool 'teleport'. Use one of: terminal"},
      {"no JSON", {"terminal", "ls", ""}, "not valid JSON"},
      {"no object", {"terminal", "[]", ""}, "expected a JSON object, got an array"},
      {"a surrogate", {"terminal", R"({"command":"\ud800"})", ""}, "unpaired surrogate"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(call(c.options), 2);
    EXPECT_EQ(out_.read_available(), "");
    EXPECT_THAT(err_.read_available(), HasSubstr(c.message));
  }
}

TEST_F(CallFront, TheTaskIsTheDefaultOneUnlessNamed) {
  call({"terminal", R"({"command":"x"})", ""});
  call({"terminal", R"({"command":"x"})", "t"});
  EXPECT_EQ(fake_->asked.at(0).session, "default");
  EXPECT_EQ(fake_->asked.at(1).session, "t");
}

TEST_F(CallFront, AStopSignalCancelsTheCallAndStillPrints) {
  fake_->reply = [](const environment::CommandSpec&) {
    return test::FakeReply{test::printed("half"), {}, true};
  };
  fake_->on_hang = [] { ::raise(SIGTERM); };
  EXPECT_EQ(call({"terminal", R"({"command":"x"})", ""}), 0);
  EXPECT_THAT(out_.read_available(), HasSubstr(R"("exit_code":130)"));
}

TEST_F(CallFront, AnExceptionIsToldAsABug) {
  fake_->reply = [](const environment::CommandSpec&) -> test::FakeReply {
    throw std::runtime_error("oops");
  };
  EXPECT_EQ(call({"terminal", R"({"command":"x"})", ""}), 1);
  EXPECT_EQ(err_.read_available(),
            "talaria: internal error in tool 'terminal': oops (a bug in Talaria)\n");
}

}  // namespace
}  // namespace talaria::front::cli
