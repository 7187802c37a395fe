// ByteChannel: the input that a client gives a request while it runs, as a stream between two
// sockets: the client's end is written here, and the other is read by whatever takes the input, by
// its descriptor or with read().
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/local/stream_protocol.hpp>

#include "base/gate.h"
#include "base/result.h"
#include "base/task.h"

namespace talaria::front::lines {

class ByteChannel {
 public:
  // An Error: there are no descriptors left.
  static Result<std::shared_ptr<ByteChannel>> open(const asio::any_io_executor& executor);

  explicit ByteChannel(const asio::any_io_executor& executor)
      : write_end_(executor), read_end_(executor) {}
  ByteChannel(const ByteChannel&) = delete;
  ByteChannel& operator=(const ByteChannel&) = delete;

  // Returns when all of it was taken; calls are served in their order. False: nothing is taken any
  // more. `end`: nothing follows. Bytes that wait in calls count as waiting().
  static Task<bool> write(std::shared_ptr<ByteChannel> channel, std::string data, bool end);
  std::size_t waiting() const { return waiting_; }

  int read_fd() { return read_end_.native_handle(); }
  // At most so many bytes; empty: the end.
  Task<std::string> read(std::size_t most);
  void end();  // behind what waits in calls of write(), although nobody said so
  bool complete() const { return complete_; }  // a write said that it was the last one
  // Nothing is read any more: writes return.
  void close();

 private:
  using Socket = asio::local::stream_protocol::socket;

  void shut();

  Socket write_end_;
  Socket read_end_;
  std::shared_ptr<Gate> turn_ = std::make_shared<Gate>(1);
  std::size_t waiting_ = 0;
  std::size_t writes_ = 0;  // calls of write()
  bool ends_ = false;       // after the writes that wait
  bool ended_ = false;
  bool complete_ = false;
  bool closed_ = false;
};

}  // namespace talaria::front::lines
