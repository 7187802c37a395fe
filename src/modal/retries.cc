#include "modal/retries.h"

#include <algorithm>

#include "modal/call_result.h"

namespace talaria::modal {

bool is_passing(int status_code) {
  switch (status_code) {
    case status::kDeadlineExceeded:
    case status::kUnavailable:
    case status::kCancelled:
    case status::kInternal:
    case status::kUnknown:
      return true;
    default:
      return false;
  }
}

std::optional<std::chrono::milliseconds> Retries::next(
    int status_code, std::optional<std::chrono::milliseconds> requested,
    std::chrono::milliseconds elapsed) {
  if (requested && most_throttled_ > std::chrono::milliseconds(0)) {
    const std::chrono::milliseconds delay = std::max(*requested, rules_.first);
    if (elapsed + delay >= most_throttled_) return std::nullopt;
    ++throttled_;
    return delay;
  }
  if (!is_passing(status_code) || repeated_ >= rules_.most) return std::nullopt;
  ++repeated_;
  return delays_.next();
}

void Retries::progressed() {
  repeated_ = 0;
  delays_.reset();
}

}  // namespace talaria::modal
