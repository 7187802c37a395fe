// within() and until_cancelled(): an asynchronous operation that ends at a time limit, or when its
// call is cancelled. Both return the result of the operation, or nothing if it was cancelled; it
// has ended when they return, so it may use the stack of the caller. T must have a default.
#pragma once

#include <chrono>
#include <optional>
#include <utility>

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>

#include "base/cancel.h"
#include "base/event.h"
#include "base/task.h"

namespace talaria {

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

template <class T>
Task<std::optional<T>> until_cancelled(CancelToken cancel, Task<T> operation) {
  using asio::experimental::awaitable_operators::operator||;
  if (cancel.cancelled()) co_return std::nullopt;
  AsyncEvent cancelled;
  cancel.on_cancel([&cancelled] { cancelled.set(); });
  auto first = co_await (std::move(operation) || cancelled.wait());
  cancel.on_cancel({});
  if (first.index() != 0) co_return std::nullopt;
  co_return std::get<0>(std::move(first));
}

}  // namespace talaria
