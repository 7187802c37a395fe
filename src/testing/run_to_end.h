// Runs one coroutine on a loop of its own and returns what it returned (or throws what it threw).
#pragma once

#include <exception>
#include <optional>
#include <utility>

#include <boost/asio/io_context.hpp>

#include "base/task.h"

namespace talaria::test {

template <class T>
Task<void> keep_value(Task<T> running, std::optional<T>& value) {
  value.emplace(co_await std::move(running));
}

template <class T>
T run_to_end(asio::io_context& loop, Task<T> task) {
  std::optional<T> value;
  std::exception_ptr thrown;
  asio::co_spawn(loop, keep_value(std::move(task), value), [&](std::exception_ptr error) {
    thrown = error;
    loop.stop();
  });
  loop.restart();
  loop.run();
  if (thrown) std::rethrow_exception(thrown);
  return std::move(*value);
}

template <class T>
T run_to_end(Task<T> task) {
  asio::io_context loop(1);
  return run_to_end(loop, std::move(task));
}

}  // namespace talaria::test
