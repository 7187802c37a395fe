#include "host/event_feed.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "os/random.h"
#include "testing/fake_environment.h"

namespace talaria::host {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::IsEmpty;

environment::NumberedEvent ended(std::uint64_t number, const std::string& process,
                                 bool announced = true) {
  return {.number = number,
          .event = {.type = EventType::completion,
                    .process = process,
                    .time = std::chrono::system_clock::now(),
                    .announced = announced}};
}

class EventFeedTest : public testing::Test {
 protected:
  EventFeedTest() {
    std::filesystem::create_directories(home_);
    ledger_ = std::make_shared<ProcessLedger>(home_);
    feed_ = std::make_unique<EventFeed>(ledger_);
  }
  ~EventFeedTest() override { std::filesystem::remove_all(home_); }

  // Delivers to `told_` until `cancel`.
  void subscribe(EventOptions options, CancelToken cancel) {
    spawn(loop_.get_executor(),
          [](EventFeedTest& test, EventOptions options, CancelToken until) -> Task<void> {
            const auto sink = [&test](const ProcessEvent& event) {
              if (test.refuses_ > 0) return --test.refuses_, false;
              test.told_.push_back(event.process);
              return true;
            };
            (void)co_await test.feed_->deliver(std::move(options), sink, until);
            ++test.ended_;
          }(*this, std::move(options), std::move(cancel)));
  }
  void run(milliseconds time = milliseconds(200)) {
    loop_.restart();
    loop_.run_for(time);
  }
  EventStore store() { return EventStore(ledger_->database()); }

  std::string home_ =
      std::filesystem::temp_directory_path() / ("talaria-feed-" + os::random_hex(8));
  asio::io_context loop_{1};
  std::shared_ptr<test::FakeTarget> fake_ = std::make_shared<test::FakeTarget>();
  std::shared_ptr<environment::Environment> environment_ =
      std::make_shared<test::FakeEnvironment>(fake_);
  std::shared_ptr<ProcessLedger> ledger_;
  std::unique_ptr<EventFeed> feed_;
  std::vector<std::string> told_;
  int refuses_ = 0;
  int ended_ = 0;
};

TEST_F(EventFeedTest, WhatARunnerTellsIsKeptAcknowledgedAndHandedOver) {
  fake_->processes.reported = {ended(1, "a"), ended(2, "quiet", false), ended(3, "b")};
  CancelToken cancel;
  subscribe({}, cancel);
  run(milliseconds(1));
  feed_->follow(loop_.get_executor(), "local/default", environment_);
  run();
  EXPECT_THAT(told_, ElementsAre("a", "b"));
  EXPECT_EQ(fake_->processes.acknowledged, 3u);
  EXPECT_EQ(store().after(0, 10)->size(), 3u);
  cancel.cancel();
  run();
  EXPECT_EQ(ended_, 1);
  EXPECT_FALSE(feed_->has_subscribers());
}

TEST_F(EventFeedTest, NobodyIsFollowedForNobody) {
  fake_->processes.reported = {ended(1, "a")};
  feed_->follow(loop_.get_executor(), "local/default", environment_);
  run(milliseconds(20));
  EXPECT_EQ(fake_->processes.acknowledged, 0u);
}

TEST_F(EventFeedTest, OneThatIsNotTakenIsOfferedAgainInOrder) {
  ASSERT_TRUE(store().add({"i", 1}, ended(1, "a").event));
  ASSERT_TRUE(store().add({"i", 2}, ended(2, "b").event));
  refuses_ = 3;
  CancelToken cancel;
  subscribe({}, cancel);
  run();
  EXPECT_THAT(told_, ElementsAre("a", "b"));
  cancel.cancel();
  run(milliseconds(50));
}

TEST_F(EventFeedTest, WhatAConsumerHasHadIsNotToldAgain) {
  ASSERT_TRUE(store().add({"i", 1}, ended(1, "a").event));
  for (int i = 0; i < 2; ++i) {
    CancelToken cancel;
    subscribe({.consumer = "me"}, cancel);
    run(milliseconds(60));
    cancel.cancel();
    run(milliseconds(60));
  }
  EXPECT_THAT(told_, ElementsAre("a"));
  CancelToken cancel;
  subscribe({.consumer = "you", .from_now = true}, cancel);
  run(milliseconds(60));
  EXPECT_THAT(told_, ElementsAre("a"));
  cancel.cancel();
  run(milliseconds(60));
}

TEST_F(EventFeedTest, AMarkThatComesBeforeTheEventCounts) {
  ASSERT_TRUE(store().mark_consumed("a"));
  fake_->processes.reported = {ended(1, "a")};
  CancelToken cancel;
  subscribe({}, cancel);
  run(milliseconds(1));
  feed_->follow(loop_.get_executor(), "local/default", environment_);
  run();
  EXPECT_THAT(told_, IsEmpty());
  cancel.cancel();
  run(milliseconds(60));
}

// It is written down while its start is on the way to the runner.
TEST_F(EventFeedTest, AProcessThatItsTargetDoesNotKnowYetIsNotTakenForEnded) {
  ASSERT_TRUE(ledger_->try_started({.id = "new",
                                    .environment = "local/default",
                                    .instance = "fake",
                                    .started = std::chrono::system_clock::now()}));
  CancelToken cancel;
  subscribe({}, cancel);
  run(milliseconds(1));
  feed_->follow(loop_.get_executor(), "local/default", environment_);
  run();
  EXPECT_THAT(told_, IsEmpty());
  EXPECT_FALSE(ledger_->find("new").value()->ended);
  cancel.cancel();
  run(milliseconds(60));
}

TEST_F(EventFeedTest, AProcessThatItsTargetDoesNotKnowAnyMoreIsLost) {
  const StoredProcess gone{
      .id = "gone", .environment = "local/default", .instance = "another", .command = "serve"};
  const StoredProcess forgotten{
      .id = "forgotten", .environment = "local/default", .instance = "fake"};
  const StoredProcess there{.id = "there", .environment = "local/default", .instance = "another"};
  for (const StoredProcess& one : {gone, forgotten, there}) ASSERT_TRUE(ledger_->try_started(one));
  fake_->processes.all = {{.id = "there", .running = true}};
  CancelToken cancel;
  subscribe({}, cancel);
  run(milliseconds(1));
  feed_->follow(loop_.get_executor(), "local/default", environment_);
  run();
  EXPECT_THAT(told_, ElementsAre("gone"));
  const std::vector<ProcessEvent> events = store().after(0, 10).value();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].ended, ProcessEnd::lost);
  EXPECT_EQ(events[0].exit_code, -1);
  EXPECT_EQ(events[0].source, "backend_lost");
  EXPECT_EQ(events[0].command, "serve");
  EXPECT_TRUE(ledger_->find("forgotten").value()->ended);
  EXPECT_FALSE(ledger_->find("there").value()->ended);
  cancel.cancel();
  run(milliseconds(60));
}

TEST_F(EventFeedTest, AStoreThatWasRemovedBeginsAnewForEverybody) {
  for (std::uint64_t i = 1; i <= 3; ++i) {
    ASSERT_TRUE(store().add({"i", i}, ended(i, "old" + std::to_string(i)).event));
  }
  CancelToken cancel;
  subscribe({}, cancel);
  run(milliseconds(60));
  for (const char* end : {"", "-wal", "-shm"}) {
    std::filesystem::remove(home_ + "/talaria/talaria.db" + end);
  }
  fake_->processes.reported = {ended(1, "new")};
  feed_->follow(loop_.get_executor(), "local/default", environment_);
  run();
  EXPECT_THAT(told_, ElementsAre("old1", "old2", "old3", "new"));
  cancel.cancel();
  run(milliseconds(60));
}

TEST_F(EventFeedTest, ItMayGoWhileSomebodyIsSubscribed) {
  fake_->processes.reported = {ended(1, "a")};
  CancelToken cancel;
  subscribe({}, cancel);
  run(milliseconds(1));
  feed_->follow(loop_.get_executor(), "local/default", environment_);
  run(milliseconds(5));
  feed_.reset();
  cancel.cancel();
  run(milliseconds(60));
}

}  // namespace
}  // namespace talaria::host
