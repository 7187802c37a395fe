// LoopGaps: how long an event loop was not there for others. A timer of the loop ticks every
// millisecond; the longest time between two ticks is the longest that anybody had to wait.
#pragma once

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>

namespace talaria::test {

class LoopGaps {
 public:
  using Clock = std::chrono::steady_clock;

  explicit LoopGaps(const boost::asio::any_io_executor& executor)
      : state_(std::make_shared<State>(executor)) {
    tick(state_);
  }
  LoopGaps(const LoopGaps&) = delete;
  LoopGaps& operator=(const LoopGaps&) = delete;
  ~LoopGaps() {
    state_->ended = true;
    state_->timer.cancel();
  }

  // Up to now.
  Clock::duration longest() const { return std::max(state_->longest, Clock::now() - state_->last); }

 private:
  struct State {
    explicit State(const boost::asio::any_io_executor& executor) : timer(executor) {}
    boost::asio::steady_timer timer;
    Clock::time_point last = Clock::now();
    Clock::duration longest{0};
    bool ended = false;
  };

  static void tick(std::shared_ptr<State> state) {
    state->timer.expires_after(std::chrono::milliseconds(1));
    auto& timer = state->timer;
    timer.async_wait([state = std::move(state)](const boost::system::error_code&) {
      if (state->ended) return;
      const auto now = Clock::now();
      state->longest = std::max(state->longest, now - std::exchange(state->last, now));
      tick(state);
    });
  }

  std::shared_ptr<State> state_;
};

}  // namespace talaria::test
