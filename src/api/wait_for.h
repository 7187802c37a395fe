// Runs a task to its end on a loop of its own, for functions that wait.
#pragma once

#include <exception>
#include <optional>
#include <utility>

#include <boost/asio/io_context.hpp>

#include "base/task.h"

namespace talaria {

template <class T>
T wait_for(Task<T> task) {
  asio::io_context loop(1);
  std::optional<T> result;
  std::exception_ptr thrown;
  asio::co_spawn(loop, std::move(task), [&](std::exception_ptr error, T value) {
    thrown = error;
    result = std::move(value);
    loop.stop();  // what is left (an idle link) does not keep us
  });
  loop.run();
  if (thrown) std::rethrow_exception(thrown);
  return std::move(*result);
}

}  // namespace talaria
