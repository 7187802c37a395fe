#include "base/time_limit.h"

#include <gtest/gtest.h>

#include "testing/run_to_end.h"

namespace talaria {
namespace {

using std::chrono::milliseconds;

// Waits so long, unless it is cancelled; `over` says that it is.
Task<int> wait(milliseconds time, bool& over) {
  asio::steady_timer timer(co_await asio::this_coro::executor, time);
  const auto [error] = co_await timer.async_wait(as_values);
  over = true;
  co_return error ? 1 : 2;
}

TEST(TimeLimit, BringsWhatComesInTime) {
  bool over = false;
  EXPECT_EQ(test::run_to_end(within(milliseconds(60'000), wait(milliseconds(1), over))), 2);
}

TEST(TimeLimit, CancelsWhatComesLateAndWaitsForItsEnd) {
  bool over = false;
  EXPECT_EQ(test::run_to_end(within(milliseconds(1), wait(milliseconds(60'000), over))),
            std::nullopt);
  EXPECT_TRUE(over);
}

}  // namespace
}  // namespace talaria
