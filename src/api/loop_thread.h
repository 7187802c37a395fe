// LoopThread: a thread that runs an event loop until that is stopped. It hears no signal: those are
// the embedding program's, and a broken pipe is an error of the write.
#pragma once

#include <thread>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

#include "base/task.h"

namespace talaria {

class LoopThread {
 public:
  explicit LoopThread(asio::io_context& loop);  // throws std::system_error
  LoopThread(const LoopThread&) = delete;
  LoopThread& operator=(const LoopThread&) = delete;
  ~LoopThread() { thread_.join(); }

 private:
  asio::executor_work_guard<asio::io_context::executor_type> work_;
  std::thread thread_;
};

}  // namespace talaria
