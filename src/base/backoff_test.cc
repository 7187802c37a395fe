#include "base/backoff.h"

#include <gtest/gtest.h>

#include "testing/run_to_end.h"

namespace talaria {
namespace {

using std::chrono::milliseconds;

TEST(Backoff, DoublesUpToTheLongest) {
  Backoff backoff(milliseconds(10), milliseconds(35));
  EXPECT_EQ(backoff.next(), milliseconds(10));
  EXPECT_EQ(backoff.next(), milliseconds(20));
  EXPECT_EQ(backoff.next(), milliseconds(35));
  EXPECT_EQ(backoff.next(), milliseconds(35));
}

TEST(Backoff, BeginsAgainAfterASuccess) {
  Backoff backoff(milliseconds(10), milliseconds(35));
  backoff.next();
  backoff.reset();
  EXPECT_EQ(backoff.next(), milliseconds(10));
}

TEST(Backoff, APauseTakesItsTimeAndIsFollowedByALongerOne) {
  Backoff backoff(milliseconds(2), milliseconds(100));
  const auto one_pause = [](Backoff& backoff) -> Task<bool> {
    const auto begun = std::chrono::steady_clock::now();
    co_await backoff.pause();
    co_return std::chrono::steady_clock::now() - begun >= milliseconds(2);
  };
  EXPECT_TRUE(test::run_to_end(one_pause(backoff)));
  EXPECT_EQ(backoff.next(), milliseconds(4));
}

}  // namespace
}  // namespace talaria
