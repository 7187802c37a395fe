// InputQueue: bytes on their way to a command's stdin, by cursor. Bytes that were taken before are
// dropped, so sending them again is harmless; the writer is told how far it may go.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include "base/result.h"
#include "os/unique_fd.h"

namespace talaria {

namespace asio = boost::asio;

class InputQueue {
 public:
  explicit InputQueue(const asio::any_io_executor& executor) : pipe_(executor) {}

  // `moved` is called when bytes were written on or the input was closed, from the event loop.
  // `owner`: whoever this belongs to; a write that waits ends with it.
  void open(UniqueFd writer, std::weak_ptr<void> owner, std::function<void()> moved);

  // Takes bytes that begin at `offset`. Error: there is a gap, or more than the window allows.
  Result<void> take(std::uint64_t offset, std::string_view bytes);
  void close_behind(std::uint64_t offset);  // end of input, once everything before is written

  void abandon();  // the command is over

  std::uint64_t next() const { return next_; }        // the cursor the next byte has
  std::uint64_t written() const { return written_; }  // bytes the command's pipe has
  std::uint64_t limit() const;                        // take() accepts bytes below this
  bool closed() const { return !open_; }

 private:
  void write_on();
  void finish();

  asio::posix::stream_descriptor pipe_;
  std::weak_ptr<void> owner_;
  std::function<void()> moved_;
  std::string pending_;
  std::uint64_t next_ = 0;
  std::uint64_t written_ = 0;
  bool open_ = false;
  bool ending_ = false;
  bool waiting_ = false;
};

}  // namespace talaria
