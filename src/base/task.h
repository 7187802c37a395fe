// Task<T>: a coroutine on the event loop, and how its operations report errors (as values). Every
// coroutine is started by spawn(), so that an exception in one (a bug of ours) ends the program
// loudly instead of vanishing.
#pragma once

#include <exception>
#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace talaria {

namespace asio = boost::asio;

template <class T>
using Task = asio::awaitable<T>;

inline constexpr auto as_values = asio::as_tuple(asio::use_awaitable);

// Starts `task` on `executor` and lets it run by itself.
template <class Executor>
void spawn(const Executor& executor, Task<void> task) {
  asio::co_spawn(executor, std::move(task), [](std::exception_ptr thrown) {
    if (thrown) std::rethrow_exception(thrown);
  });
}

}  // namespace talaria
