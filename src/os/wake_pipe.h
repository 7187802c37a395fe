// WakePipe: a named pipe at which one process waits until another wakes it. Others can also see
// whether a process waits there, however an earlier one may have ended.
#pragma once

#include <string>

#include "base/result.h"
#include "os/unique_fd.h"

namespace talaria::os {

// The waiting end. Only its owner may open the pipe, which is removed with this object.
class WakePipe {
 public:
  static Result<WakePipe> create(std::string path);

  WakePipe(WakePipe&& other) noexcept = default;
  WakePipe& operator=(WakePipe&&) = delete;
  ~WakePipe();

  int fd() const { return fd_.get(); }  // readable after a wake
  void drain() const;                   // forgets the wakes so far

 private:
  WakePipe(std::string path, UniqueFd fd) : path_(std::move(path)), fd_(std::move(fd)) {}

  std::string path_;
  UniqueFd fd_;
};

// False if no process waits there.
bool wake_waiter(const std::string& path);
bool has_waiter(const std::string& path);

}  // namespace talaria::os
