// off_loop(): work that takes long, or waits for a disk, on a thread beside the event loop, so that
// the loop serves others meanwhile. Each loop has few such threads. They start with the first work
// and end before the loop does.
//
// Only work that uses nothing of the loop may leave it: pure functions, and files of its own.
#pragma once

#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/execution/context.hpp>
#include <boost/asio/execution_context.hpp>
#include <boost/asio/query.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/limits.h"
#include "base/signal_block.h"
#include "base/task.h"

namespace talaria {

namespace off_loop_detail {

// The threads of one loop, which ends them when it is destroyed: nothing comes back to a loop that
// is gone.
class Threads : public asio::execution_context::service {
 public:
  using key_type = Threads;
  inline static asio::execution_context::id id;

  explicit Threads(asio::execution_context& loop) : asio::execution_context::service(loop) {
    const SignalsBlocked block;  // signals are for the threads of the program
    pool_.emplace(kThreadsOffLoop);
  }

  asio::thread_pool& pool() { return *pool_; }

 private:
  void shutdown() override {
    pool_->stop();
    pool_->join();
    pool_.reset();
  }

  std::optional<asio::thread_pool> pool_;
};

template <class Work, class Value>
Task<void> work_into(Work& work, std::optional<Value>& value) {
  value.emplace(work());
  co_return;
}

}  // namespace off_loop_detail

// What `work` returns. It is not cancelled with its caller, who waits for its end.
template <class Work>
Task<std::invoke_result_t<Work&>> off_loop(Work work) {
  std::optional<std::invoke_result_t<Work&>> value;
  const asio::any_io_executor loop = co_await asio::this_coro::executor;
  asio::execution_context& context = asio::query(loop, asio::execution::context);
  auto& threads = asio::use_service<off_loop_detail::Threads>(context);
  co_await asio::co_spawn(
      threads.pool(), off_loop_detail::work_into(work, value),
      asio::bind_cancellation_slot(asio::cancellation_slot(), asio::use_awaitable));
  co_return std::move(*value);
}

// The same for work on a text of `bytes`: a short one is quicker done than handed over.
template <class Work>
Task<std::invoke_result_t<Work&>> off_loop_if_large(std::size_t bytes, Work work) {
  if (bytes <= kMaxBytesOnLoop) co_return work();
  co_return co_await off_loop(std::move(work));
}

}  // namespace talaria
