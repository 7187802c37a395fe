// OffLoop: a thread for work that waits for a disk, so that the event loop does not.
#pragma once

#include <optional>
#include <utility>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/signal_block.h"
#include "base/task.h"

namespace talaria::sandboxes {

class OffLoop {
 public:
  OffLoop() {
    const SignalsBlocked block;  // signals are for the threads of the program
    thread_.emplace(1);
  }

  // Is not cancelled with its caller: that would touch the thread from outside.
  template <class T>
  Task<T> run(Task<T> work) {
    co_return co_await asio::co_spawn(
        *thread_, std::move(work),
        asio::bind_cancellation_slot(asio::cancellation_slot(), asio::use_awaitable));
  }

 private:
  std::optional<asio::thread_pool> thread_;
};

}  // namespace talaria::sandboxes
