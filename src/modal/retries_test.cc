#include "modal/retries.h"

#include <vector>

#include <gtest/gtest.h>

#include "modal/call_result.h"

namespace talaria::modal {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

std::vector<long> delays_of(Retries& retries, int code) {
  std::vector<long> delays;
  while (const auto delay = retries.next(code)) delays.push_back(delay->count());
  return delays;
}

TEST(ModalRetries, TheControlPlaneIsAskedThreeTimesMore) {
  Retries retries(kControlRules);
  EXPECT_EQ(delays_of(retries, status::kUnavailable), (std::vector<long>{100, 200, 400}));
  EXPECT_EQ(retries.repeated(), 3);
}

TEST(ModalRetries, TheRouterIsAskedTenTimesMore) {
  Retries retries(kRouterRules);
  EXPECT_EQ(delays_of(retries, status::kUnavailable),
            (std::vector<long>{10, 20, 40, 80, 160, 320, 640, 1280, 2560, 5120}));
}

TEST(ModalRetries, ADelayHasABound) {
  Retries retries({6, milliseconds(100), milliseconds(1000)});
  EXPECT_EQ(delays_of(retries, status::kInternal),
            (std::vector<long>{100, 200, 400, 800, 1000, 1000}));
}

TEST(ModalRetries, OnlyWhatPassesIsRepeated) {
  for (int code = 1; code <= 16; ++code) {
    const bool passes = code == status::kDeadlineExceeded || code == status::kUnavailable ||
                        code == status::kCancelled || code == status::kInternal ||
                        code == status::kUnknown;
    EXPECT_EQ(is_passing(code), passes) << status_name(code);
    EXPECT_EQ(Retries(kControlRules).next(code).has_value(), passes) << status_name(code);
  }
}

TEST(ModalRetries, AWishOfTheServiceWinsAndDoesNotCount) {
  Retries retries(kControlRules);
  for (int turn = 1; turn <= 5; ++turn) {
    EXPECT_EQ(retries.next(status::kResourceExhausted, seconds(2)), seconds(2));
    EXPECT_EQ(retries.throttled(), turn);
  }
  EXPECT_EQ(retries.next(status::kUnavailable, milliseconds(1)), milliseconds(100));  // at least
  EXPECT_EQ(retries.repeated(), 0);
  EXPECT_EQ(delays_of(retries, status::kUnavailable).size(), 3U);
}

TEST(ModalRetries, AWishIsGrantedOnlySoLong) {
  Retries retries(kControlRules, seconds(10));
  EXPECT_EQ(retries.next(status::kResourceExhausted, seconds(4), seconds(0)), seconds(4));
  EXPECT_EQ(retries.next(status::kResourceExhausted, seconds(4), seconds(6)), std::nullopt);
  // Without any patience for requested delays the status decides.
  Retries impatient(kControlRules, seconds(0));
  EXPECT_EQ(impatient.next(status::kResourceExhausted, seconds(1)), std::nullopt);
  EXPECT_EQ(impatient.next(status::kUnavailable, seconds(1)), milliseconds(100));
}

TEST(ModalRetries, WhatProgressedBeginsAnew) {
  Retries retries(kRouterRules);
  EXPECT_EQ(delays_of(retries, status::kUnavailable).size(), 10U);
  retries.progressed();
  EXPECT_EQ(retries.next(status::kUnavailable), milliseconds(10));
}

}  // namespace
}  // namespace talaria::modal
