// CallQueue: limits how many requests of one client run at once, per kind. The others wait in
// order. None begins while the client does not read its answers.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <string_view>

#include "base/limits.h"
#include "base/task.h"

namespace talaria::front {

inline constexpr std::size_t kMaxRunningReads = 8;

class CallQueue {
 public:
  enum class Kind {
    work,
    // Calls of the process tool cost little and may wait long: they must not block the call that
    // ends a process. Begins at once if possible, else queues as work.
    look,
    read,  // of a resource, up to a megabyte
  };
  static Kind kind_of_tool(std::string_view tool) {
    return tool == "process" ? Kind::look : Kind::work;
  }

  struct Call {
    Kind kind = Kind::work;
    std::size_t bytes = 0;  // of its message
    std::move_only_function<Task<void>()> run;
  };

  // `start` runs a task that the owner of the queue outlives.
  explicit CallQueue(std::function<void(Task<void>)> start) : start_(std::move(start)) {}

  // After `held` has become false, call resume().
  void hold_while(std::function<bool()> held) { held_ = std::move(held); }
  bool is_held() const { return held_ && held_(); }

  void add(Call call);
  void resume();  // begins the calls that can begin now
  void clear();   // drops the calls that have not begun

  // Of messages whose calls have not begun.
  std::size_t waiting_bytes() const { return waiting_bytes_; }

 private:
  struct Lane {
    std::size_t most;
    std::size_t running = 0;
    std::deque<Call> waiting = {};
  };

  void begin(Call call, Lane& lane);
  Task<void> run(Call call, Lane& lane);

  std::function<void(Task<void>)> start_;
  std::function<bool()> held_;
  Lane work_{.most = kMaxRunningCalls};
  Lane looks_{.most = kMaxLookingCalls};  // nothing queues here
  Lane reads_{.most = kMaxRunningReads};
  std::size_t waiting_bytes_ = 0;
};

}  // namespace talaria::front
