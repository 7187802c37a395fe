// Waiting for a child of ours (os/child_process.h) without blocking the event loop.
#pragma once

#include <chrono>

#include "base/result.h"
#include "base/task.h"
#include "os/child_process.h"

namespace talaria::environment {

// True: it has ended, and wait() will not block. False: it still runs after that time.
Task<Result<bool>> ends_within(const os::ChildProcess& child, std::chrono::milliseconds patience);

// A child that cleans up when it ends must not be killed when its caller stops waiting or is
// destroyed: it gets the signal, if any, and is no longer watched.
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
  os::ChildProcess* child_;  // null: nothing to release
  int signal_;               // 0: none
};

}  // namespace talaria::environment
