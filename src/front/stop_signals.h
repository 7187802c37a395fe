// StopSignals: SIGINT, SIGTERM and SIGHUP as "please stop". The first is told to the front end,
// which gives up what it does and still answers; the second ends the process at once.
//
// They come through a descriptor instead of a handler, so that a wait for something else (a full
// pipe) can notice them too. They stay blocked while the object lives; a child started with a clean
// signal mask is not affected.
#pragma once

#include <signal.h>

#include <functional>
#include <memory>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include "base/task.h"

namespace talaria::front {

class StopSignals {
 public:
  // With `on_hangup` SIGHUP is no wish to stop: that is called for each. Throws std::system_error
  // if the kernel has no descriptor left.
  StopSignals(const asio::any_io_executor& executor, std::function<void(int signal)> on_first,
              std::function<void()> on_hangup = {});
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;
  ~StopSignals();

  int fd() { return source_.native_handle(); }  // readable when a signal waits; borrowed

 private:
  void wait();
  void take();

  asio::posix::stream_descriptor source_;
  std::function<void(int signal)> on_first_;
  std::function<void()> on_hangup_;
  std::shared_ptr<StopSignals*> alive_;  // an operation that outlived us must not touch us
  sigset_t previous_;
};

}  // namespace talaria::front
