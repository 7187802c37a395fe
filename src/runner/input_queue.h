// InputQueue: bytes on their way to a command's stdin. Several may write; each has its own cursors
// and need not know of the others. What arrives first is written first, and pieces are not
// interleaved. Bytes that were taken before are dropped, so sending them again is harmless; a
// writer gets a limit up to which it may send.
//
// The end of input closes a pipe. At a terminal it is typed (os/pty.h) and the queue stays open.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include "base/result.h"
#include "os/unique_fd.h"

namespace talaria::runner {

namespace asio = boost::asio;

class InputQueue {
 public:
  enum class Kind { pipe, terminal };

  explicit InputQueue(const asio::any_io_executor& executor) : stream_(executor) {}

  // `moved` is called when bytes were written on or the input was closed, from the event loop.
  // `owner`: the object this belongs to; a write that waits ends with it.
  void open(os::UniqueFd stream, Kind kind, std::weak_ptr<void> owner, std::function<void()> moved);

  // Takes bytes that begin at the writer's cursor `offset`. Error: there is a gap, or more than the
  // window allows.
  Result<void> take(const std::string& writer, std::uint64_t offset, std::string_view bytes);
  // The end of input, once everything before is written. One at the same cursor of the same writer
  // is the same one, sent again.
  void end_behind(const std::string& writer, std::uint64_t offset);

  void abandon();  // the command is over

  // Everything the writer gave before `offset` was written, and so was the end, if it gave one.
  bool applied(const std::string& writer, std::uint64_t offset) const;
  std::uint64_t next(const std::string& writer) const;   // the cursor of its next byte
  std::uint64_t limit(const std::string& writer) const;  // take() accepts its bytes below this
  bool closed() const { return !open_; }
  bool takes_input() const { return open_ && !ending_; }
  // What was taken since the last end of a line, as much of its end as is kept.
  const std::string& unfinished() const { return unfinished_; }
  std::chrono::steady_clock::time_point last_written() const { return last_written_; }

 private:
  struct Writer {
    std::uint64_t next = 0;
    std::uint64_t written = 0;
    std::optional<std::uint64_t> end;  // where it last gave the end of input
    bool end_waits = false;            // and it has not been written yet
    int waiting = 0;                   // pieces in the queue
    std::uint64_t last_use = 0;
  };
  struct Piece {
    Writer* writer = nullptr;
    std::string bytes;
    bool is_end = false;  // then `bytes`, if any, is what ends a terminal's input; no cursor moves
  };

  Writer* writer(const std::string& name);  // null: there are too many
  bool forget_oldest_writer();
  void append(Writer& writer, std::string bytes, bool is_end);
  void note_line(std::string_view bytes);
  void write_on();
  bool write_piece();  // false: there is no room now, or it is over
  void finish();

  asio::posix::stream_descriptor stream_;
  Kind kind_ = Kind::pipe;
  std::weak_ptr<void> owner_;
  std::function<void()> moved_;
  std::map<std::string, Writer> writers_;
  std::deque<Piece> pieces_;
  std::size_t front_done_ = 0;  // bytes of the first piece that are written
  std::uint64_t uses_ = 0;
  std::chrono::steady_clock::time_point last_written_;
  char last_byte_ = '\n';
  std::string unfinished_;
  bool open_ = false;
  bool ending_ = false;
  bool waiting_ = false;
};

}  // namespace talaria::runner
