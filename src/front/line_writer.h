// LineWriter: writes what is sent to a client that may be slow, or gone, while everything else goes
// on. Its two tasks run beside their owner, which outlives them.
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
  // `changed`: something was written. `gone`: the client no longer reads; called once.
  LineWriter(const asio::any_io_executor& executor, int fd, std::function<void()> changed,
             std::function<void()> gone);

  void send(std::string_view lines);
  std::size_t unsent() const { return unsent_.size() + sending_; }

  Task<void> write();         // until all is written after finish(), or the client is gone
  Task<void> watch_reader();  // a client that goes away while nothing is to be written
  Task<void> limit();         // from now on the client has kLastWriteWait to read the rest

  void finish();  // nothing more will be sent
  void stop();    // ends the tasks, whatever is unsent

 private:
  void break_off();

  SharedStream output_;
  AsyncEvent more_;  // there is something to do
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
