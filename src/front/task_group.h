// TaskGroup: tasks whose owner waits for all of them before it ends, and an event for changes of
// the owner's state.
#pragma once

#include <cstddef>
#include <utility>

#include <boost/asio/any_io_executor.hpp>

#include "base/event.h"
#include "base/task.h"

namespace talaria::front {

class TaskGroup {
 public:
  explicit TaskGroup(const asio::any_io_executor& executor) : executor_(executor) {}
  TaskGroup(const TaskGroup&) = delete;
  TaskGroup& operator=(const TaskGroup&) = delete;

  void start(Task<void> task) {
    ++tasks_;
    spawn(executor_, counted(std::move(task)));
  }

  // The state has changed.
  void notify() { changed_.notify_all(); }
  // Waits for notify() or the end of a task.
  Task<void> change() { co_await changed_.wait(); }

  Task<void> ended() {
    while (tasks_ > 0) co_await change();
  }

 private:
  Task<void> counted(Task<void> task) {
    co_await std::move(task);
    --tasks_;
    notify();
  }

  asio::any_io_executor executor_;
  AsyncEvent changed_;
  std::size_t tasks_ = 0;
};

}  // namespace talaria::front
