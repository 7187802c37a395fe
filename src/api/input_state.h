// Input::State: the two ends of the stream behind an Input.
#pragma once

#include <talaria/input.h>

#include <mutex>

#include "os/unique_fd.h"

namespace talaria {

class Input::State {
 public:
  State(os::UniqueFd read_end, os::UniqueFd write_end)
      : read_end_(std::move(read_end)), write_end_(std::move(write_end)) {}

  int read_end() const { return read_end_.get(); }
  bool write(std::string_view bytes);
  void close();         // by the program
  void nobody_reads();  // any longer: writes return

 private:
  os::UniqueFd read_end_;
  os::UniqueFd write_end_;
};

}  // namespace talaria
