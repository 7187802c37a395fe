// together(): runs coroutines at the same time, until all have ended.
#pragma once

#include <cstddef>
#include <exception>
#include <memory>
#include <utility>
#include <vector>

#include <boost/asio/this_coro.hpp>

#include "base/event.h"
#include "base/task.h"

namespace talaria::front::check {

// The results, in order. T must have a default.
template <class T>
Task<std::vector<T>> together(std::vector<Task<T>> tasks) {
  struct State {
    explicit State(std::size_t count) : results(count), left(count) {}
    std::vector<T> results;
    std::size_t left;
    std::exception_ptr thrown;
    AsyncEvent done;
  };
  const auto executor = co_await asio::this_coro::executor;
  const auto state = std::make_shared<State>(tasks.size());
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    asio::co_spawn(executor, std::move(tasks[i]), [state, i](std::exception_ptr error, T result) {
      if (error) state->thrown = error;
      state->results[i] = std::move(result);
      if (--state->left == 0) state->done.set();
    });
  }
  if (state->left > 0) co_await state->done.wait();
  if (state->thrown) std::rethrow_exception(state->thrown);
  co_return std::move(state->results);
}

}  // namespace talaria::front::check
