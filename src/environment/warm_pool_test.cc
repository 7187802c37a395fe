#include "environment/warm_pool.h"

#include <filesystem>
#include <set>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/run_to_end.h"
#include "testing/temporary_directory.h"

namespace talaria::environment {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

// An engine that makes c1, c2, ... and forgets nothing.
struct FakeEngine {
  int made = 0;
  int attempts = 0;
  ErrorKind failure = ErrorKind::unavailable;
  bool fails = false;
  milliseconds work{0};
  std::set<std::string> silent;  // do not answer
  std::vector<std::string> removed;
};

class WarmPoolTest : public testing::Test {
 protected:
  PoolSpec spec(std::size_t size, const std::string& key = "key", bool keep = true) {
    const LeaseFacts like{.kind = "container",
                          .target = "docker",
                          .engine = "e",
                          .profile = "p",
                          .keep = false,
                          .pool = key};
    return {.home = home_.path(),
            .like = like,
            .name = "image",
            .size = size,
            .keep = keep,
            .make = [this, like] { return make(like); },
            .connect = [this](const LeaseFacts& facts) { return connect(facts.id); },
            .keep_up = [this](const LeaseFacts& facts) { return answers(facts.id); },
            .remove = [this](const LeaseFacts& facts) { return remove(facts.id); }};
  }

  Task<Result<LeaseFacts>> make(LeaseFacts facts) {
    ++engine_.attempts;
    asio::steady_timer work(loop_, engine_.work);
    co_await work.async_wait(as_values);
    if (engine_.fails) co_return fail(engine_.failure, "no");
    facts.id = "c" + std::to_string(++engine_.made);
    facts.name = facts.id;
    co_return facts;
  }
  Task<bool> answers(std::string id) { co_return !engine_.silent.contains(id); }
  Task<std::optional<link::ByteStream>> connect(std::string id) {
    if (engine_.silent.contains(id)) co_return std::nullopt;
    co_return link::ByteStream{.reader = asio::posix::stream_descriptor(loop_),
                               .writer = asio::posix::stream_descriptor(loop_)};
  }
  Task<void> remove(std::string id) {
    engine_.removed.push_back(std::move(id));
    co_return;
  }

  std::vector<std::string> waiting(const std::string& key = "key") const {
    std::vector<std::string> ids;
    for (const KnownLease& lease : waiting_in(home_.path(), key)) ids.push_back(lease.facts.id);
    std::ranges::sort(ids);
    return ids;
  }
  // Lets the pools work.
  void let_pass(milliseconds time) {
    asio::steady_timer timer(loop_, time);
    bool over = false;
    timer.async_wait([&over](boost::system::error_code) { over = true; });
    loop_.restart();
    while (!over && loop_.run_one() > 0) {
    }
  }
  std::string take(WarmPool& pool, const PoolSpec& wanted, const std::string& task) {
    const auto taken = test::run_to_end(loop_, pool.take(wanted, task, true));
    return taken ? taken->facts.id : "";
  }
  void close(WarmPool& pool) { test::run_to_end(loop_, closed(pool)); }
  static Task<bool> closed(WarmPool& pool) {
    co_await pool.close();
    co_return true;
  }

  test::TemporaryDirectory home_;
  asio::io_context loop_;
  FakeEngine engine_;
};

constexpr auto kAWhile = milliseconds(400);

TEST_F(WarmPoolTest, IsFilledAndEachIsTakenOnce) {
  WarmPool pool(loop_.get_executor());
  pool.want(spec(2));
  let_pass(kAWhile);
  EXPECT_THAT(waiting(), ElementsAre("c1", "c2"));
  const std::string one = take(pool, spec(2), "one");
  const std::string two = take(pool, spec(2), "two");
  EXPECT_EQ((std::set{one, two}), (std::set<std::string>{"c1", "c2"}));
  EXPECT_EQ(take(pool, spec(2), "three"), "");
  EXPECT_EQ(pool.counts().taken, 2u);
  EXPECT_EQ(pool.counts().missed, 1u);
  EXPECT_EQ(find_lease(home_.path(), "container", one)->facts.task, "one");
  let_pass(kAWhile);
  EXPECT_THAT(waiting(), ElementsAre("c3", "c4"));
  close(pool);
}

TEST_F(WarmPoolTest, AnotherKeyIsAnotherPool) {
  WarmPool pool(loop_.get_executor());
  pool.want(spec(1, "a"));
  let_pass(kAWhile);
  EXPECT_EQ(take(pool, spec(1, "b"), "task"), "");
  EXPECT_THAT(waiting("a"), SizeIs(1));
  close(pool);
}

TEST_F(WarmPoolTest, TheNextProgramFindsWhatOneLeft) {
  {
    WarmPool killed(loop_.get_executor());
    killed.want(spec(1));
    let_pass(kAWhile);
  }
  WarmPool next(loop_.get_executor());
  EXPECT_EQ(take(next, spec(1), "task"), "c1");
  close(next);
}

TEST_F(WarmPoolTest, TwoProgramsFillItTogether) {
  WarmPool one(loop_.get_executor());
  WarmPool two(loop_.get_executor());
  one.want(spec(2));
  two.want(spec(2));
  let_pass(2 * kAWhile);
  EXPECT_THAT(waiting(), SizeIs(2));
  close(one);
  EXPECT_THAT(waiting(), SizeIs(2));
  close(two);
}

TEST_F(WarmPoolTest, WhatDoesNotStayIsRemovedByTheLastProgram) {
  WarmPool one(loop_.get_executor());
  WarmPool two(loop_.get_executor());
  one.want(spec(1, "key", false));
  two.want(spec(1, "key", false));
  let_pass(kAWhile);
  close(one);
  EXPECT_THAT(engine_.removed, IsEmpty());
  close(two);
  EXPECT_THAT(engine_.removed, ElementsAre("c1"));
  EXPECT_THAT(waiting(), IsEmpty());
}

TEST_F(WarmPoolTest, OneThatDoesNotAnswerIsReplaced) {
  WarmPool pool(loop_.get_executor());
  pool.want(spec(1));
  let_pass(kAWhile);
  engine_.silent.insert("c1");
  EXPECT_EQ(take(pool, spec(1), "task"), "");
  let_pass(kAWhile);
  EXPECT_THAT(engine_.removed, ElementsAre("c1"));
  EXPECT_THAT(waiting(), ElementsAre("c2"));
  close(pool);
}

TEST_F(WarmPoolTest, AfterFailuresThePausesGrow) {
  engine_.fails = true;
  WarmPool pool(loop_.get_executor());
  pool.want(spec(1));
  let_pass(milliseconds(1500));  // attempts after 0.2, 0.9 and 2.1 s
  EXPECT_EQ(engine_.attempts, 2);
  EXPECT_EQ(pool.counts().failed, 2u);
  EXPECT_EQ(take(pool, spec(1), "task"), "");  // does not hurry it
  let_pass(milliseconds(300));
  EXPECT_EQ(engine_.attempts, 2);
  engine_.fails = false;
  let_pass(milliseconds(600));
  EXPECT_THAT(waiting(), ElementsAre("c1"));
  close(pool);
}

TEST_F(WarmPoolTest, WhatIsBeingMadeIsFinishedAtTheEnd) {
  engine_.work = milliseconds(300);
  WarmPool pool(loop_.get_executor());
  pool.want(spec(3));
  let_pass(milliseconds(300));
  const auto begin = std::chrono::steady_clock::now();
  close(pool);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
  EXPECT_THAT(waiting(), ElementsAre("c1"));
  EXPECT_FALSE(known_pools(home_.path())[0].filled);
}

TEST_F(WarmPoolTest, WhereNoneCanBeItIsNotTriedAgain) {
  engine_.fails = true;
  engine_.failure = ErrorKind::denied;
  WarmPool pool(loop_.get_executor());
  pool.want(spec(1));
  let_pass(milliseconds(1200));
  EXPECT_EQ(engine_.attempts, 1);
  close(pool);
}

TEST_F(WarmPoolTest, OfManyPoolsTheOldestIsGivenUp) {
  WarmPool pool(loop_.get_executor());
  for (const char* key : {"a", "b", "c", "d"}) pool.want(spec(1, key));
  let_pass(kAWhile);
  pool.want(spec(1, "e"));
  let_pass(kAWhile);
  EXPECT_THAT(waiting("a"), IsEmpty());
  EXPECT_THAT(engine_.removed, SizeIs(1));
  for (const char* key : {"b", "c", "d", "e"}) EXPECT_THAT(waiting(key), SizeIs(1));
  close(pool);
}

TEST_F(WarmPoolTest, CountsWhatPeopleSee) {
  WarmPool pool(loop_.get_executor());
  pool.want(spec(2));
  let_pass(kAWhile);
  const std::vector<PoolInfo> known = known_pools(home_.path());
  ASSERT_THAT(known, SizeIs(1));
  EXPECT_EQ(known[0].target, "docker");
  EXPECT_EQ(known[0].image, "image");
  EXPECT_EQ(known[0].size, 2u);
  EXPECT_EQ(known[0].waiting, 2u);
  EXPECT_TRUE(known[0].filled);
  close(pool);
  EXPECT_FALSE(known_pools(home_.path())[0].filled);
}

}  // namespace
}  // namespace talaria::environment
