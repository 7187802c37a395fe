// StdioClient: a client on standard input and output. It reads until the end of input, a stop
// signal, or until the client no longer reads; it writes without blocking other work.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>

#include "base/event.h"
#include "base/limits.h"
#include "base/task.h"
#include "front/shared_stream.h"
#include "front/stdio.h"
#include "front/stop_signals.h"
#include "front/task_group.h"

namespace talaria::front {

class StdioClient {
 public:
  struct Owner {
    std::function<void(std::string_view bytes)> take;
    std::function<std::size_t()> waiting_bytes;  // of messages whose calls have not begun
    std::function<void()> written;               // after each write
    std::function<void()> stop;                  // a stop signal came, or the client is gone
  };

  StdioClient(const asio::any_io_executor& executor, Stdio stdio, Owner owner);

  Task<void> read();
  // Writes the rest and returns the exit code: 0, 1 if the client stopped reading, 128+N after
  // signal N. After a stop, or if `limited`, the client has kLastWriteWait to read the rest.
  Task<int> finish(bool limited);

  // After finish(): the client sees the end of our output.
  void close() {
    input_.close();
    output_.close();
  }

  void send(std::string_view lines);
  bool is_unread() const { return unsent_.size() + sending_ >= kMaxUnsentBytes; }
  bool stopping() const { return stopping_; }
  TaskGroup& tasks() { return tasks_; }  // finish() waits for them

 private:
  Task<void> write();
  Task<void> watch_reader();  // detects a client that closes while nothing is written
  Task<void> limit_last_write();
  void stop(int exit_code);
  void break_off();

  asio::any_io_executor executor_;
  Owner owner_;
  SharedStream input_;
  SharedStream output_;
  std::optional<StopSignals> signals_;
  TaskGroup tasks_;
  AsyncEvent more_;  // to write, or the end
  asio::steady_timer last_write_;
  std::string unsent_;
  std::size_t sending_ = 0;  // bytes of the current write
  bool stopping_ = false;
  bool finished_ = false;
  bool broken_ = false;
  int exit_code_ = 0;
};

}  // namespace talaria::front
