// keep_alive(): a coroutine that uses `owner`, which it keeps alive until it ends.
#pragma once

#include <memory>
#include <utility>

#include "base/task.h"

namespace talaria {

template <class T>
Task<T> keep_alive([[maybe_unused]] std::shared_ptr<void> owner, Task<T> task) {
  co_return co_await std::move(task);
}

}  // namespace talaria
