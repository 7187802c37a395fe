// ProcessWatch: the patterns to watch for in the output of one process, and how often matches are
// reported. After a match none is reported for a while. A while with more matches is a strike, and
// some strikes in a row end the watch; the end of the process is announced instead. No I/O,
// and the time is passed in.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "runner/watch/line_matcher.h"

namespace talaria::runner {

struct WatchHit {
  std::string pattern;
  std::string output;            // the lines; valid UTF-8
  std::uint64_t suppressed = 0;  // lines that matched and were not reported since the last hit
};

struct WatchEnded {
  std::uint64_t suppressed = 0;
};

class ProcessWatch {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;
  using Verdict = std::variant<std::monostate, WatchHit, WatchEnded>;

  explicit ProcessWatch(std::vector<std::string> patterns) : matcher_(std::move(patterns)) {}

  // The process printed this.
  Verdict scan(std::string_view bytes, TimePoint now);

  int strikes() const { return strikes_; }
  std::uint64_t hits() const { return hits_; }  // that were reported

 private:
  LineMatcher matcher_;
  std::optional<TimePoint> quiet_until_;
  std::uint64_t hits_ = 0;
  std::uint64_t suppressed_ = 0;
  int strikes_ = 0;
  bool struck_ = false;  // in the present window
  bool ended_ = false;
};

// WatchBreaker: limits the hits of all processes together. More than a burst of them within a
// window mutes them all for a while. No I/O, and the time is passed in.
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
