// within(): an asynchronous operation with a time limit.
#pragma once

#include <chrono>
#include <optional>
#include <utility>

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>

#include "base/task.h"

namespace talaria {

// What the operation brings, or nothing if it was still under way at `until`. It is cancelled then,
// and is over when this returns, so it may use what the caller has on its stack. T must have a
// default.
template <class T>
Task<std::optional<T>> within(std::chrono::steady_clock::time_point until, Task<T> operation) {
  using asio::experimental::awaitable_operators::operator||;
  asio::steady_timer limit(co_await asio::this_coro::executor, until);
  auto first = co_await (std::move(operation) || limit.async_wait(as_values));
  if (first.index() != 0) co_return std::nullopt;
  co_return std::get<0>(std::move(first));
}

template <class T>
Task<std::optional<T>> within(std::chrono::milliseconds time, Task<T> operation) {
  return within(std::chrono::steady_clock::now() + time, std::move(operation));
}

}  // namespace talaria
