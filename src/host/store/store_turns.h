// StoreTurns: how calls on an event loop use a store. Another program may hold the database for
// seconds; such a call then waits for its turn, and the loop serves others. Calls that wait keep
// their order.
//
// A database for a loop (Database::be_quick()) says within milliseconds that it is held. That
// concerns calls that write; those that only read need no turn.
#pragma once

#include <cerrno>
#include <chrono>
#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>

#include "base/gate.h"
#include "base/limits.h"
#include "base/result.h"
#include "base/task.h"

namespace talaria::host {

// The call did nothing, because another program holds the database.
template <class T>
bool is_held(const Result<T>& result) {
  return !result && result.error().kind() == ErrorKind::unavailable &&
         result.error().code() == EBUSY;
}

class StoreTurns {
 public:
  // What `work` returns, a Result. It is called again while the database is held, for
  // kStorePatience at most; each time it does all or nothing. `done` gets the executor of the loop
  // right after the last of these calls.
  template <class Work, class Done>
  static Task<std::invoke_result_t<Work&>> take(std::shared_ptr<StoreTurns> turns, Work work,
                                                Done done) {
    const asio::any_io_executor loop = co_await asio::this_coro::executor;
    if (turns->waiting_ == 0) {
      auto result = work();
      if (!is_held(result)) {
        done(loop);
        co_return result;
      }
    }
    using Clock = std::chrono::steady_clock;
    const auto until = Clock::now() + kStorePatience;
    const Waiting one(*turns);
    const Gate::Pass turn = co_await Gate::enter(turns->gate_);
    asio::steady_timer pause(loop);
    for (;;) {
      auto result = work();
      if (!is_held(result) || Clock::now() >= until) {
        done(loop);
        co_return result;
      }
      pause.expires_after(kStorePause);
      co_await pause.async_wait(as_values);
    }
  }

 private:
  struct Waiting {
    explicit Waiting(StoreTurns& its_turns) : turns(its_turns) { ++turns.waiting_; }
    Waiting(const Waiting&) = delete;
    Waiting& operator=(const Waiting&) = delete;
    ~Waiting() { --turns.waiting_; }
    StoreTurns& turns;
  };

  std::size_t waiting_ = 0;
  std::shared_ptr<Gate> gate_ = std::make_shared<Gate>(1);
};

}  // namespace talaria::host
