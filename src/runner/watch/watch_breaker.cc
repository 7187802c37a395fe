#include "runner/watch/watch_breaker.h"

#include <utility>

#include "runner/limits.h"

namespace talaria::runner {

WatchBreaker::Verdict WatchBreaker::hit(TimePoint now) {
  Verdict verdict;
  if (muted_until_ && now < *muted_until_) {
    ++suppressed_;
    return verdict;
  }
  if (muted_until_) {
    muted_until_.reset();
    admitted_.clear();
    verdict.released = std::exchange(suppressed_, 0);
  }
  while (!admitted_.empty() && now - admitted_.front() >= kWatchBurstWindow) admitted_.pop_front();
  if (admitted_.size() >= kWatchBurst) {
    muted_until_ = now + kWatchMute;
    suppressed_ = 1;
    verdict.muted = true;
    return verdict;
  }
  admitted_.push_back(now);
  verdict.admitted = true;
  return verdict;
}

}  // namespace talaria::runner
