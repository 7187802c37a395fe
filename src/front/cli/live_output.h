// LiveOutput: writes the output of a command to a terminal or a pipe. Writing waits for a slow
// reader, which slows the command down and bounds memory; a stop signal ends that wait.
#pragma once

#include <string_view>

namespace talaria::front::cli {

class LiveOutput {
 public:
  // Both borrowed; `stop_fd` becomes readable at a stop signal.
  LiveOutput(int fd, int stop_fd);

  // False: writing failed (no reader, disk full). What is unwritten at a stop signal is dropped.
  bool write(std::string_view bytes);

  bool broken() const { return error_ != 0; }
  int error() const { return error_; }  // why it is broken, as an errno

 private:
  long write_some(std::string_view bytes);

  int fd_;
  int stop_fd_;
  bool takes_much_;  // a pipe that accepts a large write without blocking
  int error_ = 0;
};

}  // namespace talaria::front::cli
