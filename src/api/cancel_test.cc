#include <talaria/cancel.h>

#include <atomic>
#include <optional>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "api/cancel_watch.h"

namespace talaria {
namespace {

TEST(Cancel, CopiesAreTheSame) {
  const Cancel one;
  Cancel other;
  other = one;
  EXPECT_FALSE(other.cancelled());
  one.cancel();
  EXPECT_TRUE(other.cancelled());
  EXPECT_FALSE(Cancel().cancelled());
}

TEST(CancelWatch, IsToldOnceAndOnlyWhileItLives) {
  const Cancel cancel;
  int reported = 0;
  const auto count = [&] { ++reported; };
  std::optional<CancelWatch> gone(std::in_place, cancel, count);
  const CancelWatch first(cancel, count);
  const CancelWatch second(cancel, count);
  gone.reset();
  cancel.cancel();
  cancel.cancel();
  EXPECT_EQ(reported, 2);
}

TEST(CancelWatch, IsToldAtOnceIfItComesLate) {
  const Cancel cancel;
  cancel.cancel();
  bool reported = false;
  const CancelWatch watch(cancel, [&] { reported = true; });
  EXPECT_TRUE(reported);
}

TEST(CancelWatch, AWatchThatIsGoneIsNeverToldWhoeverCancelsMeanwhile) {
  for (int round = 0; round < 200; ++round) {
    const Cancel cancel;
    auto alive = std::make_unique<std::atomic<bool>>(true);
    std::thread other([&] { cancel.cancel(); });
    {
      const CancelWatch watch(cancel, [alive = alive.get()] { EXPECT_TRUE(alive->load()); });
    }
    *alive = false;
    alive.reset();
    other.join();
  }
}

}  // namespace
}  // namespace talaria
