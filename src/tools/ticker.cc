#include "tools/ticker.h"

#include <utility>

namespace talaria::tool {

struct Ticker::State {
  asio::steady_timer timer;
  std::chrono::milliseconds interval;
  Action action;
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
};

Ticker::Ticker(const asio::any_io_executor& executor, std::chrono::milliseconds interval,
               Action action)
    : state_(std::make_shared<State>(asio::steady_timer(executor), interval, std::move(action))) {
  wait(state_);
}

Ticker::~Ticker() { state_->timer.cancel(); }

void Ticker::wait(const std::shared_ptr<State>& state) {
  state->timer.expires_after(state->interval);
  state->timer.async_wait([weak = std::weak_ptr(state)](boost::system::error_code error) {
    const auto alive = weak.lock();
    if (error || !alive) return;
    alive->action(std::chrono::duration_cast<std::chrono::seconds>(
        std::chrono::steady_clock::now() - alive->start));
    wait(alive);
  });
}

}  // namespace talaria::tool
