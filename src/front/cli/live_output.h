// LiveOutput: a command's output on its way to a person or a pipe. Writing waits for a slow reader,
// which slows the command down and keeps memory flat; a stop signal ends that wait.
#pragma once

#include <string_view>

namespace talaria::front::cli {

class LiveOutput {
 public:
  // Both borrowed; `stop_fd` becomes readable when we should stop.
  LiveOutput(int fd, int stop_fd);

  // False once nothing can be written any more: nobody reads, the disk is full. What is not written
  // when told to stop is dropped.
  bool write(std::string_view bytes);

  bool broken() const { return error_ != 0; }
  int error() const { return error_; }  // why it is broken, as an errno

 private:
  long write_some(std::string_view bytes);

  int fd_;
  int stop_fd_;
  bool takes_much_;  // a pipe that can be written without waiting, as much as it takes
  int error_ = 0;
};

}  // namespace talaria::front::cli
