#include "front/mcp/request_state.h"

#include <gtest/gtest.h>

namespace talaria::front::mcp {
namespace {

using std::chrono::minutes;
using std::chrono::system_clock;

class RequestStateTest : public testing::Test {
 protected:
  system_clock::time_point now_{std::chrono::hours(1000)};
  RequestState state_{"a secret", [this] { return now_; }};
  const json::object arguments_{{"command", "ls"}};
  const std::string made_ = state_.make("me", "terminal", arguments_, "appr_1");

  std::optional<std::string> read(const std::string& state) const {
    const auto asked = state_.asked_in(state, "me", "terminal", arguments_);
    return asked ? std::optional(asked->question) : std::nullopt;
  }
};

TEST_F(RequestStateTest, TheCallThatGotItBringsItBack) { EXPECT_EQ(read(made_), "appr_1"); }

TEST_F(RequestStateTest, ItCountsForThatClientAndThatCallOnly) {
  EXPECT_FALSE(state_.asked_in(made_, "another", "terminal", arguments_));
  EXPECT_FALSE(state_.asked_in(made_, "me", "execute_code", arguments_));
  EXPECT_FALSE(state_.asked_in(made_, "me", "terminal", {{"command", "ls -l"}}));
}

TEST_F(RequestStateTest, WhoeverChangesItHasNothing) {
  EXPECT_FALSE(read(""));
  EXPECT_FALSE(read("appr_1"));
  EXPECT_FALSE(read("appr_2" + made_.substr(6)));
  EXPECT_FALSE(read(made_ + "0"));
  for (std::size_t at = 0; at < made_.size(); ++at) {
    std::string changed = made_;
    changed[at] = changed[at] == '1' ? '2' : '1';
    EXPECT_FALSE(read(changed)) << at;
  }
}

TEST_F(RequestStateTest, ItDoesNotCountForEver) {
  now_ += minutes(14);
  EXPECT_TRUE(read(made_));
  EXPECT_EQ(state_.asked_in(made_, "me", "terminal", arguments_)->age, minutes(14));
  now_ += minutes(2);
  EXPECT_FALSE(read(made_));
}

TEST_F(RequestStateTest, WhatAnotherProgramMadeMeansNothing) {
  EXPECT_FALSE(RequestState().asked_in(made_, "me", "terminal", arguments_));
  const RequestState ours;
  EXPECT_EQ(ours.asked_in(ours.make("me", "t", {}, "q"), "me", "t", {})->question, "q");
}

}  // namespace
}  // namespace talaria::front::mcp
