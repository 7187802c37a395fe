// SharedStream: a duplicate of a descriptor that we share with other programs, owned by Asio. Asio
// makes the open file non-blocking, which affects all programs that share it (a shell at the same
// terminal), so close() and the destructor restore the flags.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include "base/task.h"

namespace talaria::front {

class SharedStream {
 public:
  using Stream = asio::posix::stream_descriptor;

  // Throws std::system_error if there is no free descriptor.
  SharedStream(const asio::any_io_executor& executor, int fd);
  SharedStream(const SharedStream&) = delete;
  SharedStream& operator=(const SharedStream&) = delete;
  ~SharedStream() { close(); }

  void close();

  Stream& operator*() { return stream_; }
  Stream* operator->() { return &stream_; }

 private:
  int flags_;
  Stream stream_;
};

}  // namespace talaria::front
