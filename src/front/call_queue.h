// CallQueue: which requests of one client run now, and which wait. So many of a kind run at once;
// the others wait in the order they came. None begins while the client does not read what it gets.
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
    // Looking at processes costs little and may take as long as they do: many who wait for one must
    // not keep others from ending it. Begins at once if it can, else it waits as work does.
    look,
    read,  // of a resource, which may be a megabyte
  };
  static Kind kind_of_tool(std::string_view tool) {
    return tool == "process" ? Kind::look : Kind::work;
  }

  struct Call {
    Kind kind = Kind::work;
    std::size_t bytes = 0;  // of its message
    std::move_only_function<Task<void>()> run;
  };

  // `start` lets a task run beside the owner of the queue, which outlives it.
  explicit CallQueue(std::function<void(Task<void>)> start) : start_(std::move(start)) {}

  // Whoever makes `held` say yes calls go_on() when that has changed.
  void hold_while(std::function<bool()> held) { held_ = std::move(held); }
  bool is_held() const { return held_ && held_(); }

  void add(Call call);
  void go_on();  // begins what can begin now
  void clear();  // forgets those that have not begun

  // Of the messages whose calls have not begun.
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
  Lane looks_{.most = kMaxLookingCalls};  // none waits here
  Lane reads_{.most = kMaxRunningReads};
  std::size_t waiting_bytes_ = 0;
};

}  // namespace talaria::front
