// StopSignals: handles SIGINT, SIGTERM and SIGHUP. The first one is passed to the front end, which
// cancels its work and still answers; the second one ends the process at once.
//
// They arrive through a descriptor, so that a wait for something else (a full pipe) can notice
// them. They stay blocked while the object lives; a child started with a clean signal mask is not
// affected.
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
  // With `on_hangup`, SIGHUP calls that instead. Throws std::system_error if there is no free
  // descriptor.
  StopSignals(const asio::any_io_executor& executor, std::function<void(int signal)> on_first,
              std::function<void()> on_hangup = {});
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;
  ~StopSignals();

  int fd() { return source_.native_handle(); }  // readable when a signal is pending; borrowed

 private:
  void wait();
  void take();

  asio::posix::stream_descriptor source_;
  std::function<void(int signal)> on_first_;
  std::function<void()> on_hangup_;
  std::shared_ptr<StopSignals*> alive_;  // guards callbacks that run after the destructor
  sigset_t previous_;
};

}  // namespace talaria::front
