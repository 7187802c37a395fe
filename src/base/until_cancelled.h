// until_cancelled(): an asynchronous operation that the token of its call ends.
#pragma once

#include <optional>
#include <utility>

#include <boost/asio/experimental/awaitable_operators.hpp>

#include "base/cancel.h"
#include "base/event.h"
#include "base/task.h"

namespace talaria {

// What the operation brings, or nothing if `cancel` came first. It is over when this returns. T
// must have a default.
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
