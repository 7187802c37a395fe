// How often matches are reported; the times are made up.
#include <algorithm>

#include <gtest/gtest.h>

#include "runner/limits.h"
#include "runner/watch/process_watch.h"

namespace talaria::runner {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

const ProcessWatch::TimePoint kBegin{std::chrono::hours(1)};

bool reported(const ProcessWatch::Verdict& verdict) {
  return std::holds_alternative<WatchHit>(verdict);
}
bool nothing(const ProcessWatch::Verdict& verdict) {
  return std::holds_alternative<std::monostate>(verdict);
}

TEST(ProcessWatch, TheFirstHitIsToldAndThenNothingForAWhile) {
  ProcessWatch watch({"hit"});
  EXPECT_TRUE(reported(watch.scan("hit\n", kBegin)));
  EXPECT_TRUE(nothing(watch.scan("hit\n", kBegin + kWatchCooldown - milliseconds(1))));
  EXPECT_TRUE(reported(watch.scan("hit\n", kBegin + kWatchCooldown)));
  EXPECT_EQ(watch.hits(), 2u);
}

TEST(ProcessWatch, ThreeWindowsInARowWithTooMuchEndTheWatch) {
  ProcessWatch watch({"hit"});
  auto now = kBegin;
  for (int window = 0; window < 3; ++window) {
    EXPECT_TRUE(reported(watch.scan("hit\n", now)));
    const auto dropped = watch.scan("hit\n", now + seconds(1));
    if (window < 2) {
      EXPECT_TRUE(nothing(dropped));
      EXPECT_TRUE(nothing(watch.scan("hit\nhit\n", now + seconds(2))));  // still one strike
    } else {
      ASSERT_TRUE(std::holds_alternative<WatchEnded>(dropped));
      EXPECT_EQ(std::get<WatchEnded>(dropped).suppressed, 1u);
    }
    now += kWatchCooldown;
  }
  EXPECT_EQ(watch.hits(), 3u);
  EXPECT_TRUE(nothing(watch.scan("hit\n", now + std::chrono::hours(1))));
  EXPECT_EQ(watch.hits(), 3u);
}

TEST(ProcessWatch, AWindowWithoutADropForgivesTheStrikes) {
  ProcessWatch watch({"hit"});
  watch.scan("hit\n", kBegin);
  watch.scan("hit\n", kBegin + seconds(1));
  EXPECT_EQ(watch.strikes(), 1);
  watch.scan("hit\n", kBegin + seconds(15));
  EXPECT_EQ(watch.strikes(), 1);
  EXPECT_TRUE(reported(watch.scan("hit\n", kBegin + seconds(30))));
  EXPECT_EQ(watch.strikes(), 0);
}

TEST(ProcessWatch, WhatWasNotToldIsCounted) {
  ProcessWatch watch({"hit"});
  watch.scan("hit\n", kBegin);
  watch.scan("hit\nhit\nhit\n", kBegin + seconds(1));
  watch.scan("hit\n", kBegin + seconds(2));
  const auto later = watch.scan("hit\n", kBegin + seconds(20));
  ASSERT_TRUE(reported(later));
  EXPECT_EQ(std::get<WatchHit>(later).suppressed, 4u);
  const auto last = watch.scan("hit\n", kBegin + seconds(40));
  EXPECT_EQ(std::get<WatchHit>(last).suppressed, 0u);
}

TEST(ProcessWatch, APayloadHasTwentyLinesAndTwoThousandCharacters) {
  std::string many;
  for (int i = 0; i < 30; ++i) many += "hit " + std::to_string(i) + "\n";
  const auto lines = ProcessWatch({"hit"}).scan(many, kBegin);
  const std::string& shown = std::get<WatchHit>(lines).output;
  EXPECT_EQ(std::ranges::count(shown, '\n'), 19);
  EXPECT_TRUE(shown.ends_with("hit 19"));

  std::string wide;
  for (int i = 0; i < 3000; ++i) wide += "é";
  const auto cut = ProcessWatch({"hit"}).scan("hit" + wide + "\n", kBegin);
  std::string expected = "hit";
  for (int i = 0; i < 1997; ++i) expected += "é";
  EXPECT_EQ(std::get<WatchHit>(cut).output, expected + "\n...(truncated)");
}

TEST(WatchBreaker, ABurstOfAllProcessesMutesThemForAWhile) {
  WatchBreaker breaker;
  int admitted = 0;
  int muted = 0;
  for (int i = 0; i < 18; ++i) {
    const auto verdict = breaker.hit(kBegin);
    admitted += verdict.admitted ? 1 : 0;
    muted += verdict.muted ? 1 : 0;
  }
  EXPECT_EQ(admitted, 15);
  EXPECT_EQ(muted, 1);
  for (int i = 0; i < 5; ++i) {
    const auto verdict = breaker.hit(kBegin + seconds(29));
    EXPECT_FALSE(verdict.admitted || verdict.muted || verdict.released);
  }
  const auto after = breaker.hit(kBegin + seconds(30));
  EXPECT_TRUE(after.admitted);
  EXPECT_EQ(after.released, 8u);
  EXPECT_FALSE(breaker.hit(kBegin + seconds(31)).released);
}

TEST(WatchBreaker, HitsThatAreSpreadOutAreAllAdmitted) {
  WatchBreaker breaker;
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(breaker.hit(kBegin + i * milliseconds(700)).admitted);
}

}  // namespace
}  // namespace talaria::runner
