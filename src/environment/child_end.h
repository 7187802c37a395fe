// Waiting for a child of ours (os/child_process.h) without holding up the event loop.
#pragma once

#include <chrono>

#include "base/result.h"
#include "base/task.h"
#include "os/child_process.h"

namespace talaria::environment {

// True: it has ended, and wait() will not block. False: it has not in that time.
Task<Result<bool>> ends_within(const os::ChildProcess& child, std::chrono::milliseconds patience);

// One that puts something in order when it ends is not killed by whoever gives it up, be it by
// destroying who waits for it: it gets the signal, if any, and is let go.
class Dismissal {
 public:
  Dismissal(os::ChildProcess* child, int signal) : child_(child), signal_(signal) {}
  Dismissal(const Dismissal&) = delete;
  Dismissal& operator=(const Dismissal&) = delete;
  ~Dismissal() {
    if (child_) child_->dismiss(signal_);
  }
  void cancel() { child_ = nullptr; }

 private:
  os::ChildProcess* child_;  // null: nobody is let go
  int signal_;               // 0: none
};

}  // namespace talaria::environment
