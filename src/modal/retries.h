// Retries: when a call that failed is to be repeated, and after how long. No clock and no waiting:
// the caller says what happened and does the waiting.
//
// What passes (the service is away, or the connection broke) is repeated a bounded number of times,
// after a delay that doubles. A service that asks to be left alone for some time gets it, as
// often as it asks, until the waits come to `most_throttled`.
#pragma once

#include <chrono>
#include <optional>

#include "base/backoff.h"

namespace talaria::modal {

struct RetryRules {
  int most;  // repetitions, beside those the service asks for
  std::chrono::milliseconds first;
  std::chrono::milliseconds longest;
};

inline constexpr RetryRules kControlRules{3, std::chrono::milliseconds(100),
                                          std::chrono::milliseconds(1000)};
inline constexpr RetryRules kRouterRules{10, std::chrono::milliseconds(10),
                                         std::chrono::milliseconds(5120)};
// Of a call that is expected to take long: the wait for a command's end.
inline constexpr RetryRules kWaitRules{10, std::chrono::milliseconds(1000),
                                       std::chrono::milliseconds(1000)};

inline constexpr std::chrono::seconds kMostThrottled{300};

// Whether the same call may well succeed in a moment.
bool is_passing(int status_code);

class Retries {
 public:
  // No throttling at all (0): the delay that the service requests is ignored.
  explicit Retries(RetryRules rules, std::chrono::milliseconds most_throttled = kMostThrottled)
      : rules_(rules), delays_(rules.first, rules.longest), most_throttled_(most_throttled) {}

  // The call failed with this status, `elapsed` after the first attempt began; `requested` is how
  // long the service wants to be left alone. How long to wait before the next attempt; nothing: it
  // has failed for good.
  std::optional<std::chrono::milliseconds> next(
      int status_code, std::optional<std::chrono::milliseconds> requested = std::nullopt,
      std::chrono::milliseconds elapsed = std::chrono::milliseconds(0));

  // Something came of it: earlier failures are forgotten.
  void progressed();

  int repeated() const { return repeated_; }
  int throttled() const { return throttled_; }

 private:
  RetryRules rules_;
  Backoff delays_;
  std::chrono::milliseconds most_throttled_;
  int repeated_ = 0;
  int throttled_ = 0;
};

}  // namespace talaria::modal
