#include "host/environment_table.h"

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

#include "base/event.h"
#include "testing/fake_environment.h"

namespace talaria::host {
namespace {

// Makes fakes, each only when the test says so.
class SlowMaker {
 public:
  void finish(Result<void> how = {}) {
    how_ = std::move(how);
    gate_.notify_all();
  }

  const EnvironmentTable::Make make = [this] { return make_one(); };
  int begun = 0;

 private:
  Task<Result<std::unique_ptr<environment::Environment>>> make_one() {
    ++begun;
    co_await gate_.wait();
    if (!how_) co_return fail(how_.error());
    co_return std::make_unique<test::FakeEnvironment>(std::make_shared<test::FakeTarget>());
  }

  AsyncEvent gate_;
  Result<void> how_;
};

class EnvironmentTableTest : public testing::Test {
 protected:
  using Answer = Result<std::shared_ptr<environment::Environment>>;

  // A call that asks for `id`; its answer is there once the loop has nothing left to do.
  std::shared_ptr<std::optional<Answer>> ask(const std::string& id, const SlowMaker& maker) {
    const auto answer = std::make_shared<std::optional<Answer>>();
    spawn(loop_.get_executor(), keep(answer, id, maker));
    settle();
    return answer;
  }

  void settle() {
    loop_.restart();
    loop_.poll();
  }

  Task<void> keep(std::shared_ptr<std::optional<Answer>> answer, std::string id,
                  const SlowMaker& maker) {
    answer->emplace(co_await table_.get(id, "t", maker.make));
  }

  asio::io_context loop_{1};
  EnvironmentTable table_;
  SlowMaker maker_;
};

TEST_F(EnvironmentTableTest, CallsThatComeMeanwhileWaitForTheSameOne) {
  const auto first = ask("a", maker_);
  const auto second = ask("a", maker_);
  EXPECT_FALSE(*first);
  EXPECT_TRUE(table_.list().empty());
  maker_.finish();
  settle();
  ASSERT_TRUE(*first && *second);
  EXPECT_EQ(***first, ***second);
  EXPECT_EQ(***ask("a", maker_), ***first);
  EXPECT_EQ(maker_.begun, 1);
  EXPECT_EQ(table_.list().size(), 1u);
}

TEST_F(EnvironmentTableTest, OneThatTakesLongDoesNotHoldTheOthers) {
  SlowMaker other;
  const auto slow = ask("a", maker_);
  const auto quick = ask("b", other);
  other.finish();
  settle();
  EXPECT_TRUE(*quick);
  EXPECT_FALSE(*slow);
  maker_.finish();
  settle();
  EXPECT_TRUE(*slow);
}

TEST_F(EnvironmentTableTest, AFailureIsToldToAllWhoWaitAndTriedAgainByTheNextCall) {
  const auto first = ask("a", maker_);
  const auto second = ask("a", maker_);
  maker_.finish(fail(ErrorKind::unavailable, "not now"));
  settle();
  for (const auto& answer : {first, second}) {
    ASSERT_TRUE(*answer);
    EXPECT_EQ((*answer)->error().message(), "not now");
  }
  EXPECT_TRUE(table_.list().empty());
  const auto third = ask("a", maker_);
  maker_.finish();
  settle();
  EXPECT_TRUE(**third);
  EXPECT_EQ(maker_.begun, 2);
}

TEST_F(EnvironmentTableTest, OneRemovedWhileItIsMadeServesThoseWhoWaitedAndNobodyElse) {
  std::vector<EnvironmentTable::Taken> late;
  table_.on_late([&](const std::string& id, EnvironmentTable::Taken taken) {
    EXPECT_EQ(id, "a");
    late.push_back(std::move(taken));
  });
  const auto first = ask("a", maker_);
  table_.take("a");
  EXPECT_FALSE(table_.take("a").environment);
  maker_.finish();
  settle();
  EXPECT_TRUE(**first);
  EXPECT_TRUE(table_.list().empty());
  // The caller that took it closes it when it is no longer used.
  ASSERT_EQ(late.size(), 1u);
  EXPECT_TRUE(late[0].environment);
  EXPECT_EQ(*late[0].lent, 1);
}

TEST_F(EnvironmentTableTest, OneIsInUseUntilTheLastCallHasLetGo) {
  const auto first = ask("a", maker_);
  maker_.finish();
  settle();
  const auto later = std::chrono::system_clock::now() + std::chrono::hours(1);
  EXPECT_TRUE(table_.idle_since(later).empty());
  EXPECT_EQ(table_.list().at(0).calls, 1u);
  first->reset();
  EXPECT_EQ(table_.idle_since(later), std::vector<std::string>{"a"});
  EXPECT_TRUE(table_.idle_since(table_.list().at(0).last_use).empty());
  EXPECT_EQ(table_.list().at(0).calls, 0u);
}

TEST_F(EnvironmentTableTest, ABugWhileMakingOneLeavesNobodyWaiting) {
  const EnvironmentTable::Make broken =
      []() -> Task<Result<std::unique_ptr<environment::Environment>>> {
    throw std::logic_error("a bug");
    co_return fail(ErrorKind::system, "never reached");
  };
  asio::co_spawn(loop_, table_.get("a", "t", broken),
                 [](std::exception_ptr thrown, const Answer&) { EXPECT_TRUE(thrown); });
  settle();
  const auto next = ask("a", maker_);
  maker_.finish();
  settle();
  EXPECT_TRUE(**next);
}

}  // namespace
}  // namespace talaria::host
