// RunOutput: reads what a command prints, from the pipe or terminal of its shell, into its log, and
// from a second pipe if its standard error is kept apart. A reader that must not lose a byte slows
// the command down: nothing is read that would push bytes out of the log which that reader has not
// taken.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>

#include "base/task.h"
#include "os/unique_fd.h"
#include "runner/output_log.h"

namespace talaria::runner {

class RunOutput {
 public:
  class Owner {
   public:
    virtual ~Owner() = default;
    // The cursor of the slowest reader that must not lose a byte.
    virtual std::optional<std::uint64_t> slowest_reader() const = 0;
    virtual void output_grew(std::string_view bytes) = 0;  // empty: the output was closed
    virtual void output_was_read() = 0;                    // for now all of it
  };

  struct Streams {
    os::UniqueFd output;    // none: the command has ended, and its output is closed
    os::UniqueFd errors;    // none: they come with the output
    bool terminal = false;  // `output` is one
  };
  RunOutput(const asio::any_io_executor& executor, Streams streams, std::unique_ptr<OutputLog> log,
            Owner& owner);
  ~RunOutput();
  RunOutput(const RunOutput&) = delete;
  RunOutput& operator=(const RunOutput&) = delete;

  // Reads until the output is closed. `alive` keeps the owner alive for that time.
  void start(const std::shared_ptr<void>& alive);
  void reader_moved();  // there may be room to read on
  void read_once();
  void shell_exited();  // reads what the shell printed before, as far as there is room
  void abandon();

  // Everything that the shell printed before it exited is in the log.
  bool complete() const;
  bool closed() const;
  int fd() const { return output_.fd.get(); }
  std::chrono::steady_clock::time_point last_read() const { return last_read_; }
  OutputLog& log() { return *log_; }
  const OutputLog& log() const { return *log_; }

 private:
  struct Stream {
    Stream(const asio::any_io_executor& executor, os::UniqueFd stream, bool is_errors);

    os::UniqueFd fd;
    asio::posix::stream_descriptor readable;  // borrows fd
    bool errors;
    bool closed;
    std::uint64_t unread = 0;  // bytes the shell printed before it exited
  };

  Task<void> drain(Stream& stream, std::shared_ptr<void> alive);
  bool read_some(Stream& stream);  // false: nothing to read for now
  std::uint64_t room() const;

  Stream output_;
  Stream errors_;
  asio::steady_timer room_;  // never expires; cancelled when a reader has moved
  bool terminal_;
  std::unique_ptr<OutputLog> log_;
  Owner& owner_;
  std::chrono::steady_clock::time_point last_read_;
  int waiting_for_room_ = 0;
};

}  // namespace talaria::runner
