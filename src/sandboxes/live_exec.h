// LiveExec: an exec that has not ended, or whose end somebody still has to be told.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>

#include "base/cancel.h"
#include "base/task.h"
#include "environment/environment.h"
#include "host/store/sandbox_store.h"

namespace talaria::sandboxes {

struct LiveExec {
  host::StoredExec stored;
  CancelToken cancel;                                     // until it has started
  std::shared_ptr<environment::Environment> starting;     // where it is being started
  std::shared_ptr<environment::Environment> environment;  // once it has
  bool kill_asked = false;
  bool early = false;  // its end is asked for already; it may come before the answer to its start
  std::optional<Result<ProcessInfo>> early_end;
  std::set<asio::steady_timer*> waiting;

  const ExecInfo& info() const { return stored.info; }
  bool ended() const { return has_ended(stored.info.state); }

  void wake() {
    for (asio::steady_timer* timer : std::set<asio::steady_timer*>(waiting)) timer->cancel();
  }

  // Returns when something has changed, or then.
  static Task<void> change(std::shared_ptr<LiveExec> live,
                           std::chrono::steady_clock::time_point until) {
    asio::steady_timer timer(co_await asio::this_coro::executor, until);
    live->waiting.insert(&timer);
    co_await timer.async_wait(as_values);
    live->waiting.erase(&timer);
  }
};

}  // namespace talaria::sandboxes
