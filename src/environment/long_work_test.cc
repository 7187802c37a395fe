#include "environment/long_work.h"

#include <stdexcept>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/event.h"
#include "base/time_limit.h"
#include "testing/run_to_end.h"

namespace talaria::environment {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class LongWorkTest : public testing::Test {
 protected:
  Progress progress() {
    return [this](const std::string& text) { told_.push_back(text); };
  }
  static Task<int> seven() { co_return 7; }
  static Task<int> bug() {
    throw std::logic_error("a bug");
    co_return 0;
  }
  static Task<int> ever() {
    AsyncEvent never;
    co_await never.wait();
    co_return 1;
  }

  std::vector<std::string> told_;
};

TEST_F(LongWorkTest, IsToldWhenItBegins) {
  EXPECT_EQ(test::run_to_end(long_work(progress(), "it is done", seven())), 7);
  EXPECT_THAT(told_, ElementsAre("it is done"));
}

TEST_F(LongWorkTest, WhatIsToldLaterIsNotToldIfItIsQuick) {
  EXPECT_EQ(test::run_to_end(long_work(progress(), "it is done", seven(), FirstReport::later)), 7);
  EXPECT_THAT(told_, IsEmpty());
}

TEST_F(LongWorkTest, NobodyHasToListen) {
  EXPECT_EQ(test::run_to_end(long_work(nullptr, "it is done", seven())), 7);
}

TEST_F(LongWorkTest, ABugInItIsNotHidden) {
  EXPECT_THROW(test::run_to_end(long_work(progress(), "it is done", bug())), std::logic_error);
}

TEST_F(LongWorkTest, MayBeGivenUp) {
  const auto done =
      test::run_to_end(within(std::chrono::milliseconds(20), long_work(progress(), "on", ever())));
  EXPECT_FALSE(done);
}

}  // namespace
}  // namespace talaria::environment
