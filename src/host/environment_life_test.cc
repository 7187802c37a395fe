#include "host/environment_life.h"

#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/limits.h"
#include "testing/fake_environment.h"
#include "testing/run_to_end.h"

namespace talaria::host {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

// Notes how it was closed.
class NotingEnvironment final : public environment::Environment {
 public:
  NotingEnvironment(std::string id, std::vector<std::string>& closed, Result<void> answer)
      : id_(std::move(id)), closed_(closed), answer_(std::move(answer)) {}

  std::string_view target() const override { return "fake"; }
  std::string_view transport() const override { return "link"; }
  Task<Result<environment::CommandOutcome>> run(environment::CommandSpec, CancelToken) override {
    co_return fail(ErrorKind::system, "not asked for");
  }
  Task<Result<std::optional<shell::SessionDefinitions>>> look(environment::CommandSpec,
                                                              CancelToken) override {
    co_return std::nullopt;
  }
  environment::Processes& processes() override { throw std::logic_error("not asked for"); }
  environment::Files& files() override { throw std::logic_error("not asked for"); }
  std::string place() const override { return {}; }
  bool persistent() const override { return false; }
  std::optional<bool> isolated() const override { return std::nullopt; }
  environment::EnvironmentLimits limits() const override { return {}; }
  Task<Result<void>> end_session(std::string) override { co_return Result<void>(); }
  void leave_files() override {}
  Task<Result<void>> close(bool remove) override {
    closed_.push_back(id_ + (remove ? " for good" : ""));
    if (!wait_for_) co_return answer_;
    asio::steady_timer pause(co_await asio::this_coro::executor);
    while (closed_.size() < *wait_for_) {
      pause.expires_after(std::chrono::milliseconds(1));
      co_await pause.async_wait(as_values);
    }
    co_return answer_;
  }
  void wait_until_closing(std::size_t others) { wait_for_ = others; }

 private:
  std::string id_;
  std::vector<std::string>& closed_;
  Result<void> answer_;
  std::optional<std::size_t> wait_for_;
};

class EnvironmentLifeTest : public testing::Test {
 protected:
  std::shared_ptr<environment::Environment> get(const std::string& id) {
    const EnvironmentTable::Make make =
        [&]() -> Task<Result<std::unique_ptr<environment::Environment>>> {
      co_return std::make_unique<NotingEnvironment>(id, closed_, answer_);
    };
    return *test::run_to_end(table_->get(id, "t", make));
  }

  void sweep() {
    test::run_to_end([](EnvironmentLife& life) -> Task<bool> {
      co_await life.sweep();
      co_return true;
    }(life_));
  }

  std::shared_ptr<EnvironmentTable> table_ = std::make_shared<EnvironmentTable>();
  std::vector<std::string> closed_;
  std::vector<std::string> told_;
  std::set<std::string> busy_;
  Result<void> answer_;
  EnvironmentLife life_{
      table_,
      {.lifetime = std::chrono::seconds(0),
       .is_busy = [this](std::string id) -> Task<bool> { co_return busy_.contains(id); },
       .before_close = [this](std::string id,
                              std::shared_ptr<environment::Environment>) -> Task<void> {
         told_.push_back(std::move(id));
         co_return;
       }}};
};

TEST_F(EnvironmentLifeTest, OneThatNobodyUsesIsLetGo) {
  get("a");
  sweep();
  EXPECT_THAT(closed_, ElementsAre("a"));
  EXPECT_THAT(told_, ElementsAre("a"));
  EXPECT_THAT(table_->list(), IsEmpty());
}

TEST_F(EnvironmentLifeTest, ACommandThatRunsIsUse) {
  const auto in_use = get("a");
  sweep();
  EXPECT_THAT(closed_, IsEmpty());
  EXPECT_EQ(table_->list().size(), 1u);
}

TEST_F(EnvironmentLifeTest, WhatRunsInTheBackgroundIsUse) {
  get("a");
  get("b");
  busy_ = {"a"};
  sweep();
  EXPECT_THAT(closed_, ElementsAre("b"));
}

TEST_F(EnvironmentLifeTest, WhatIsRetiredIsNotClosedUnderACommand) {
  auto in_use = get("a");
  life_.retire("a");
  EXPECT_THAT(table_->list(), IsEmpty());
  sweep();
  EXPECT_THAT(closed_, IsEmpty());
  in_use.reset();
  sweep();
  EXPECT_THAT(closed_, ElementsAre("a"));
}

TEST_F(EnvironmentLifeTest, ClosingOneByNameDoesNotWaitForItsCommands) {
  const auto in_use = get("a");
  EXPECT_TRUE(test::run_to_end(life_.close("a", true)));
  EXPECT_THAT(closed_, ElementsAre("a for good"));
  EXPECT_EQ(test::run_to_end(life_.close("a", true)).error().kind(), ErrorKind::not_found);
}

TEST_F(EnvironmentLifeTest, AtTheEndAllAreClosedAndCounted) {
  get("a");
  answer_ = fail(ErrorKind::unavailable, "stuck");
  get("b");
  answer_ = {};
  const auto in_use = get("c");
  const EnvironmentLife::Closed closed = test::run_to_end(life_.close_all(false));
  EXPECT_EQ(closed.count, 2u);
  ASSERT_EQ(closed.errors.size(), 1u);
  EXPECT_EQ(closed.errors[0].message(), "environment 'b': stuck");
  EXPECT_THAT(closed_, UnorderedElementsAre("a", "b", "c"));
}

// Each is done only when all are being closed.
TEST_F(EnvironmentLifeTest, AtTheEndSeveralAreClosedAtATime) {
  for (std::size_t i = 0; i < kMostClosedAtOnce; ++i) {
    auto& made = dynamic_cast<NotingEnvironment&>(*get(std::to_string(i)));
    made.wait_until_closing(kMostClosedAtOnce);
  }
  EXPECT_EQ(test::run_to_end(life_.close_all(false)).count, kMostClosedAtOnce);
}

}  // namespace
}  // namespace talaria::host
