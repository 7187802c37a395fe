// CancelToken: one call's "stop, I no longer want this". The front end that took the call holds a
// copy and cancels it; the code that does the work registers what to do then. Single-threaded, like
// the event loop it lives on.
#pragma once

#include <functional>
#include <memory>
#include <utility>

namespace talaria {

class CancelToken {
 public:
  CancelToken() : state_(std::make_shared<State>()) {}

  bool cancelled() const { return state_->cancelled; }

  void cancel() {
    if (std::exchange(state_->cancelled, true)) return;
    if (auto action = std::exchange(state_->action, nullptr)) action();
  }

  // Calls `action` when the token is cancelled, at once if it already is. One action at a time: a
  // later one replaces an earlier one; an empty one removes it.
  void on_cancel(std::function<void()> action) {
    if (state_->cancelled && action) return action();
    state_->action = std::move(action);
  }

 private:
  struct State {
    bool cancelled = false;
    std::function<void()> action;
  };
  std::shared_ptr<State> state_;
};

}  // namespace talaria
