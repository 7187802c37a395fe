// SharedStream: a second descriptor for one that is not ours alone, for Asio to own. Asio makes it
// non-blocking, and with it whatever else shares the open file (a shell's terminal): the flags are
// put back at the end.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include "base/task.h"

namespace talaria::front {

class SharedStream {
 public:
  using Stream = asio::posix::stream_descriptor;

  // Throws std::system_error if the kernel has no descriptor left.
  SharedStream(const asio::any_io_executor& executor, int fd);
  SharedStream(const SharedStream&) = delete;
  SharedStream& operator=(const SharedStream&) = delete;
  ~SharedStream();

  Stream& operator*() { return stream_; }
  Stream* operator->() { return &stream_; }

 private:
  int flags_;
  Stream stream_;
};

}  // namespace talaria::front
