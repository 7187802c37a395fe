// LineWriter: writes to a client that may be slow or gone, without blocking other work. Its owner
// outlives its two tasks.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>

#include "base/event.h"
#include "base/task.h"
#include "front/shared_stream.h"

namespace talaria::front {

class LineWriter {
 public:
  // `changed`: after each write. `gone`: once, when the client no longer reads.
  LineWriter(const asio::any_io_executor& executor, int fd, std::function<void()> changed,
             std::function<void()> gone);

  void send(std::string_view lines);
  std::size_t unsent() const { return unsent_.size() + sending_; }

  Task<void> write();         // ends after finish() when all is written, or when the client is gone
  Task<void> watch_reader();  // detects a client that closes while nothing is written
  Task<void> limit();         // the client has kLastWriteWait to read the rest

  void finish();  // after the last send()
  void stop();    // ends the tasks and drops unsent data

 private:
  void break_off();

  SharedStream output_;
  AsyncEvent more_;  // data, or the end
  asio::steady_timer last_write_;
  std::function<void()> changed_;
  std::function<void()> gone_;
  std::string unsent_;
  std::size_t sending_ = 0;  // bytes on their way
  bool finished_ = false;
  bool broken_ = false;
  bool stopped_ = false;
};

}  // namespace talaria::front
