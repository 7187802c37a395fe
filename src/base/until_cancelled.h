// until_cancelled(): an asynchronous operation that the token of its call ends.
#pragma once

#include <optional>
#include <utility>

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>

#include "base/cancel.h"
#include "base/task.h"

namespace talaria {

// What the operation brings, or nothing if `cancel` came first. It is over when this returns. T
// must have a default.
template <class T>
Task<std::optional<T>> until_cancelled(CancelToken cancel, Task<T> operation) {
  using asio::experimental::awaitable_operators::operator||;
  if (cancel.cancelled()) co_return std::nullopt;
  asio::steady_timer cancelled(co_await asio::this_coro::executor,
                               asio::steady_timer::time_point::max());
  cancel.on_cancel([&cancelled] { cancelled.cancel(); });
  auto first = co_await (std::move(operation) || cancelled.async_wait(as_values));
  cancel.on_cancel({});
  if (first.index() != 0) co_return std::nullopt;
  co_return std::get<0>(std::move(first));
}

}  // namespace talaria
