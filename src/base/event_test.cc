#include "base/event.h"

#include <memory>
#include <optional>

#include <gtest/gtest.h>

#include "base/time_limit.h"
#include "testing/run_to_end.h"

namespace talaria {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

class AsyncEventTest : public testing::Test {
 protected:
  // Adds one wait; its result is in `results_` when it is over.
  void start_wait(AsyncEvent& event, AsyncEvent::Clock::duration time) {
    spawn(loop_.get_executor(), keep(event.wait_for(time)));
  }
  Task<void> keep(Task<bool> wait) { results_.push_back(co_await std::move(wait)); }

  asio::io_context loop_{1};
  std::vector<bool> results_;
};

TEST_F(AsyncEventTest, WakesAllWhoWaitAndNobodyWhoComesLater) {
  AsyncEvent event;
  event.notify_all();
  start_wait(event, hours(1));
  start_wait(event, hours(1));
  loop_.poll();
  EXPECT_TRUE(results_.empty());
  event.notify_all();
  loop_.run();
  EXPECT_EQ(results_, (std::vector<bool>{true, true}));
}

TEST_F(AsyncEventTest, EachWaitHasItsOwnLimit) {
  AsyncEvent event;
  start_wait(event, milliseconds(1));
  start_wait(event, hours(1));
  while (results_.empty()) loop_.run_one();
  EXPECT_EQ(results_, std::vector<bool>{false});
  event.notify_all();
  loop_.run();
  EXPECT_EQ(results_, (std::vector<bool>{false, true}));
}

TEST_F(AsyncEventTest, NoWaitTakesTimeOnceItIsSet) {
  AsyncEvent event;
  start_wait(event, hours(1));
  loop_.poll();
  event.set();
  start_wait(event, hours(1));
  loop_.run();
  EXPECT_EQ(results_, (std::vector<bool>{true, true}));
  EXPECT_TRUE(event.is_set());
}

TEST_F(AsyncEventTest, ItsEndWakesThoseWhoWait) {
  auto event = std::make_unique<AsyncEvent>();
  start_wait(*event, hours(1));
  loop_.poll();
  event.reset();
  loop_.run();
  EXPECT_EQ(results_, std::vector<bool>{true});
}

TEST_F(AsyncEventTest, AWaitThatIsCancelledIsOver) {
  AsyncEvent event;
  EXPECT_EQ(test::run_to_end(within(milliseconds(1), event.wait())), std::nullopt);
  event.notify_all();  // there is nobody left to wake
}

TEST_F(AsyncEventTest, ALoopThatEndsTakesItsWaitsAlong) {
  AsyncEvent event;
  {
    asio::io_context other(1);
    spawn(other.get_executor(), keep(event.wait()));
    other.poll();
  }
  event.notify_all();
  EXPECT_TRUE(results_.empty());
}

}  // namespace
}  // namespace talaria
