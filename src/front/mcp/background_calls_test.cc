#include "front/mcp/background_calls.h"

#include <memory>
#include <string>

#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

#include "testing/fake_environment.h"
#include "testing/fake_runtime.h"
#include "testing/run_to_end.h"

namespace talaria::front::mcp {
namespace {

using std::chrono::milliseconds;

class BackgroundCallsTest : public testing::Test {
 protected:
  BackgroundCallsTest() {
    fake_->reply = [](const environment::CommandSpec& spec) {
      return test::FakeReply{test::printed(spec.command), {}, spec.command == "hang"};
    };
  }
  ~BackgroundCallsTest() override { test::run_to_end(loop_, end()); }

  Task<bool> end() {
    kept_.close();
    co_await kept_.ended();
    co_return true;
  }

  json::object call(const std::string& command, milliseconds wait) {
    const auto answer =
        test::run_to_end(loop_, kept_.call("me", "terminal", {{"command", command}},
                                           {.session_key = "me"}, cancel_, wait, given_up_));
    return answer ? *answer : json::object{{"error", answer.error().message()}};
  }
  json::object look(const std::string& action, const std::string& id, std::string owner = "me") {
    return test::run_to_end(
        loop_, kept_.look(std::move(owner),
                          {{"action", action}, {"session_id", id}, {"timeout", 1}}, given_up_));
  }

  asio::io_context loop_;
  std::shared_ptr<test::FakeTarget> fake_ = std::make_shared<test::FakeTarget>();
  AsioRuntime runtime_ = fake_runtime(loop_.get_executor(), fake_);
  BackgroundCalls kept_{loop_.get_executor(), runtime_};
  AsyncEvent given_up_;
  Cancel cancel_;
};

TEST_F(BackgroundCallsTest, AnAnswerThatComesInTimeIsTheAnswer) {
  EXPECT_EQ(call("echo", std::chrono::hours(1)).at("output").as_string(), "echo");
  EXPECT_EQ(kept_.size(), 0u);
}

TEST_F(BackgroundCallsTest, OneThatTakesLongerIsAskedForByItsHandle) {
  const json::object reply = call("hang", milliseconds(1));
  EXPECT_EQ(reply.at("status").as_string(), "running");
  const std::string id(reply.at("session_id").as_string());
  EXPECT_TRUE(BackgroundCalls::is_handle(id));
  EXPECT_EQ(look("poll", id).at("status").as_string(), "running");
  EXPECT_EQ(look("wait", id).at("status").as_string(), "running");
  EXPECT_EQ(look("write", id).count("error"), 1u);
  fake_->release_hanging();
  EXPECT_EQ(look("wait", id).at("output").as_string(), "hang");
  EXPECT_EQ(look("poll", id).at("output").as_string(), "hang");  // and again
}

TEST_F(BackgroundCallsTest, WhoDidNotMakeItDoesNotKnowIt) {
  const std::string id(call("hang", milliseconds(1)).at("session_id").as_string());
  EXPECT_EQ(look("kill", id, "another").at("status").as_string(), "not_found");
  EXPECT_EQ(look("poll", "call_none").at("status").as_string(), "not_found");
  EXPECT_EQ(look("poll", id).at("status").as_string(), "running");
}

TEST_F(BackgroundCallsTest, ItIsEndedByItsHandle) {
  const std::string id(call("hang", milliseconds(1)).at("session_id").as_string());
  EXPECT_EQ(look("kill", id).at("exit_code").as_int64(), 130);
}

TEST_F(BackgroundCallsTest, ThoseThatStillRunAreBounded) {
  for (int i = 0; i < 64; ++i) EXPECT_EQ(call("hang", milliseconds(1)).count("session_id"), 1u);
  const json::object refused = call("hang", milliseconds(1));
  EXPECT_EQ(refused.count("session_id"), 0u);
  EXPECT_EQ(refused.count("error"), 1u);
  EXPECT_EQ(kept_.size(), 64u);
}

TEST_F(BackgroundCallsTest, OneThatWasGivenUpMeanwhileIsNotKept) {
  fake_->on_hang = [this] {
    cancel_.cancel();
    given_up_.notify_all();
  };
  EXPECT_EQ(call("hang", std::chrono::hours(1)).count("session_id"), 0u);
  EXPECT_EQ(kept_.size(), 0u);
}

}  // namespace
}  // namespace talaria::front::mcp
