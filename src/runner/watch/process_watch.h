// ProcessWatch: what somebody watches for in the output of one process, and how often they are
// told. After a match is told nothing is for a while; a while in which there was more is a strike,
// and so many strikes in a row end the watch: then the end of the process is told instead. No I/O,
// and the time is passed in.
#pragma once

#include <chrono>
#include <cstdint>
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
  std::uint64_t suppressed = 0;  // lines that matched and were not told since the last hit
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
  std::uint64_t hits() const { return hits_; }  // that were told

 private:
  LineMatcher matcher_;
  std::optional<TimePoint> quiet_until_;
  std::uint64_t hits_ = 0;
  std::uint64_t suppressed_ = 0;
  int strikes_ = 0;
  bool struck_ = false;  // in the present window
  bool ended_ = false;
};

}  // namespace talaria::runner
