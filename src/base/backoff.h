// Backoff: the pauses between the attempts at something, each twice as long as the one before, up
// to the longest.
#pragma once

#include <algorithm>
#include <chrono>
#include <utility>

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>

#include "base/task.h"

namespace talaria {

class Backoff {
 public:
  Backoff(std::chrono::milliseconds first, std::chrono::milliseconds longest)
      : first_(first), longest_(longest), next_(first) {}

  // How long to wait now.
  std::chrono::milliseconds next() { return std::exchange(next_, std::min(next_ * 2, longest_)); }
  // Waits so long, or until the coroutine is cancelled.
  Task<void> pause() {
    asio::steady_timer timer(co_await asio::this_coro::executor, next());
    co_await timer.async_wait(as_values);
  }
  // An attempt worked: the next pause is the first again.
  void reset() { next_ = first_; }

 private:
  std::chrono::milliseconds first_;
  std::chrono::milliseconds longest_;
  std::chrono::milliseconds next_;
};

}  // namespace talaria
