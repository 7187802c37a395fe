#include "runner/watch/process_watch.h"

#include <utility>

#include "base/text.h"
#include "runner/limits.h"

namespace talaria::runner {
namespace {

std::string payload(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) {
    if (!text.empty()) text += '\n';
    text += line;
  }
  text = sanitize_utf8(text);
  const std::string_view shown = first_chars(text, kWatchChars);
  if (shown.size() == text.size()) return text;
  return std::string(shown) + "\n...(truncated)";
}

}  // namespace

ProcessWatch::Verdict ProcessWatch::scan(std::string_view bytes, TimePoint now) {
  if (ended_) return {};
  LineMatches found = matcher_.feed(bytes);
  if (found.lines == 0) return {};
  if (quiet_until_ && now < *quiet_until_) {
    suppressed_ += found.lines;
    if (std::exchange(struck_, true)) return {};
    if (++strikes_ < kWatchStrikes) return {};
    ended_ = true;
    return WatchEnded{.suppressed = suppressed_};
  }
  if (!std::exchange(struck_, false)) strikes_ = 0;
  quiet_until_ = now + kWatchCooldown;
  ++hits_;
  return WatchHit{.pattern = std::move(found.pattern),
                  .output = payload(found.shown),
                  .suppressed = std::exchange(suppressed_, 0)};
}

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
