// kept(): a coroutine of an object, which lives until it is over.
#pragma once

#include <memory>
#include <utility>

#include "base/task.h"

namespace talaria::sandboxes {

template <class T>
Task<T> kept([[maybe_unused]] std::shared_ptr<void> keeper, Task<T> task) {
  co_return co_await std::move(task);
}

}  // namespace talaria::sandboxes
