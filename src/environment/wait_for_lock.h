// Waiting for a lock between processes (os/file_lock.h) without blocking the event loop.
#pragma once

#include <chrono>
#include <string>
#include <utility>

#include "base/result.h"
#include "base/task.h"
#include "os/file.h"
#include "os/unique_fd.h"

namespace talaria::environment {

// timed_out: another process, which the message names, held it all the time.
Task<Result<os::UniqueFd>> wait_for_lock(std::string path, std::chrono::milliseconds patience);

// A lock whose file is removed with it, because there may be thousands of them.
class PassingLock {
 public:
  PassingLock(os::UniqueFd lock, std::string path)
      : lock_(std::move(lock)), path_(std::move(path)) {}
  PassingLock(PassingLock&&) noexcept = default;
  PassingLock& operator=(PassingLock&&) = delete;
  ~PassingLock() {
    if (lock_)
      os::remove_file(path_);  // while it is ours: a process that waited for it looks again
  }

 private:
  os::UniqueFd lock_;
  std::string path_;
};
Task<Result<PassingLock>> wait_for_passing_lock(std::string path,
                                                std::chrono::milliseconds patience);

}  // namespace talaria::environment
