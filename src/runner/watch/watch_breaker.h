// WatchBreaker: keeps the hits of all processes together bearable. More than a burst of them within
// a window mutes them all for a while. No I/O, and the time is passed in.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>

namespace talaria::runner {

class WatchBreaker {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  struct Verdict {
    bool admitted = false;
    bool muted = false;                     // from now on: report that once
    std::optional<std::uint64_t> released;  // a mute is over, in which so many were not reported
  };
  Verdict hit(TimePoint now);

 private:
  std::deque<TimePoint> admitted_;  // within the window
  std::optional<TimePoint> muted_until_;
  std::uint64_t suppressed_ = 0;
};

}  // namespace talaria::runner
