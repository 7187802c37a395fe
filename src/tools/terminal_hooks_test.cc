// What an embedding program sees of terminal calls, and changes.
#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <boost/json/parse.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/fake_call.h"
#include "testing/fake_environment.h"
#include "testing/open_policy.h"
#include "testing/run_to_end.h"
#include "tools/call_tool.h"
#include "tools/terminal.h"
#include "tools/tool_table.h"

namespace talaria::tool {
namespace {

class TerminalHooks : public testing::Test {
 protected:
  std::shared_ptr<test::FakeTarget> fake_ = std::make_shared<test::FakeTarget>();
  std::string task_ = "default";
  CancelToken cancel_;
};

TEST_F(TerminalHooks, TheFirstTextOfATransformIsShownAndStillCutAndCleaned) {
  fake_->reply = [](const environment::CommandSpec&) {
    return test::FakeReply{test::printed("original")};
  };
  host::Host host = fake_host(fake_);
  test::OpenPolicy policy(host);
  std::string seen;
  const auto add = [&](const std::optional<std::string>& text) {
    host.interaction.hooks.transform_output.emplace_back(
        [&seen, text](const FinishedCommand& command) {
          seen = std::string(command.command) + "|" + std::string(command.output) + "|" +
                 std::to_string(command.exit_code) + "|" + std::string(command.target);
          return text;
        });
  };
  add(std::nullopt);
  host.interaction.hooks.transform_output.emplace_back(
      [](const FinishedCommand&) -> std::optional<std::string> { throw std::runtime_error("x"); });
  add("\033[1mfirst\033[0m");
  add("second");
  const auto run = [&] {
    return test::run_to_end(
        terminal(test::tool_call(host, policy, {{"command", "c"}}, {.task = task_}, cancel_)));
  };
  EXPECT_EQ(run().at("output"), "first");
  EXPECT_EQ(seen, "c|original|0|local");
  host.interaction.hooks.transform_output.clear();
  add(std::string(60'000, 'x'));
  EXPECT_NE(run().at("output").as_string().find("OUTPUT TRUNCATED"), std::string::npos);
}

TEST_F(TerminalHooks, ObserversSeeACallBeginAndEnd) {
  host::Host host = fake_host(fake_);
  test::OpenPolicy policy(host);
  std::vector<std::string> seen;
  host.interaction.hooks.observers.emplace_back([&](const ObservedCall& call) {
    seen.push_back(std::string(call.tool) + " " + std::string(call.task) + " " +
                   (call.result
                        ? std::to_string(json::parse(*call.result).at("exit_code").as_int64())
                        : std::string(call.arguments)));
    throw 42;  // nobody is harmed
  });
  test::run_to_end(
      call_tool(*find_tool("terminal"),
                test::tool_call(host, policy, {{"command", "x"}}, {.task = "t"}, cancel_)));
  EXPECT_THAT(seen, testing::ElementsAre(R"(terminal t {"command":"x"})", "terminal t 0"));
}

TEST_F(TerminalHooks, ActivityIsToldOncePerIntervalWhileACommandRuns) {
  fake_->reply = [](const environment::CommandSpec&) {
    return test::FakeReply{test::printed("x"), {}, true};
  };
  asio::io_context loop(1);
  host::Host host = fake_host(fake_);
  test::OpenPolicy policy(host);
  std::vector<std::string> reported;
  host.interaction.hooks.activity_interval = std::chrono::milliseconds(20);
  host.interaction.hooks.activity = [&](std::string_view text) {
    reported.emplace_back(text);
    if (reported.size() == 2) fake_->release_hanging();
    throw std::runtime_error("nobody is harmed");
  };
  const json::object result = test::run_to_end(
      loop, terminal(test::tool_call(host, policy, {{"command", "x"}}, {.task = task_}, cancel_)));
  EXPECT_EQ(result.at("exit_code"), 0);
  EXPECT_THAT(reported, testing::ElementsAre("terminal command running (0s elapsed)",
                                             "terminal command running (0s elapsed)"));
}

}  // namespace
}  // namespace talaria::tool
