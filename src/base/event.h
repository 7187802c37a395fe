// AsyncEvent: coroutines of one event loop wait for it, others of that loop report it. It is a
// condition variable (notify_all() wakes those who wait now) that can also be set for good. An
// event that is destroyed wakes those who wait; none of them uses it afterwards.
#pragma once

#include <chrono>
#include <utility>
#include <vector>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>

#include "base/task.h"

namespace talaria {

class AsyncEvent {
 public:
  using Clock = std::chrono::steady_clock;

  AsyncEvent() = default;
  AsyncEvent(const AsyncEvent&) = delete;
  AsyncEvent& operator=(const AsyncEvent&) = delete;
  ~AsyncEvent() { notify_all(); }

  void notify_all() {
    for (Waiter* const waiter : std::exchange(waiters_, {})) {
      waiter->event = nullptr;
      waiter->alarm.cancel();
    }
  }

  // From now on no wait takes any time.
  void set() {
    set_ = true;
    notify_all();
  }
  bool is_set() const { return set_; }

  // Each wait also ends when its coroutine is cancelled. The result says whether there was an
  // event.
  Task<bool> wait() { return wait_until(Clock::time_point::max()); }
  Task<bool> wait_for(Clock::duration time) { return wait_until(Clock::now() + time); }
  Task<bool> wait_until(Clock::time_point until) {
    if (set_) co_return true;
    Waiter waiter(*this, co_await asio::this_coro::executor, until);
    (void)co_await waiter.alarm.async_wait(as_values);
    co_return waiter.event == nullptr;
  }

 private:
  struct Waiter {
    Waiter(AsyncEvent& its_event, const asio::any_io_executor& executor, Clock::time_point until)
        : event(&its_event), alarm(executor, until) {
      event->waiters_.push_back(this);
    }
    Waiter(const Waiter&) = delete;
    Waiter& operator=(const Waiter&) = delete;
    ~Waiter() {
      if (event) std::erase(event->waiters_, this);
    }

    AsyncEvent* event;  // null: notified
    asio::steady_timer alarm;
  };

  std::vector<Waiter*> waiters_;
  bool set_ = false;
};

}  // namespace talaria
