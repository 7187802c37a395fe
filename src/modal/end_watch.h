// EndWatch: notices that the program is to end, by a signal, or because its output has no reader
// any more.
#pragma once

#include <functional>
#include <thread>

#include "os/unique_fd.h"

namespace talaria::modal {

inline constexpr int kReaderGone = 0;  // instead of a signal

class EndWatch {
 public:
  // To be made before there are other threads: the signals (SIGTERM, SIGINT, SIGHUP) are blocked
  // for all of them. `on_end` is called once, in a thread of its own, with the signal or
  // kReaderGone.
  EndWatch(int out, std::function<void(int signal)> on_end);
  EndWatch(const EndWatch&) = delete;
  EndWatch& operator=(const EndWatch&) = delete;
  ~EndWatch();

 private:
  void watch(int out);

  std::function<void(int signal)> on_end_;
  os::UniqueFd signals_;
  os::UniqueFd stop_;
  std::thread thread_;
};

}  // namespace talaria::modal
