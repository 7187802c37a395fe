// InputSource: the input of a command, read from a descriptor of its caller a piece at a time. The
// next piece is read when the command has taken the last one.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include <boost/asio/any_io_executor.hpp>

#include "base/cancel.h"
#include "base/event.h"
#include "base/input_reader.h"
#include "base/result.h"
#include "base/task.h"
#include "environment/command.h"

namespace talaria::environment {

class InputSource {
 public:
  // `fd` is borrowed until stop().
  InputSource(asio::any_io_executor executor, int fd) : executor_(std::move(executor)), fd_(fd) {}
  InputSource(const InputSource&) = delete;
  InputSource& operator=(const InputSource&) = delete;

  // Waits for it. Empty: the input has ended.
  Task<std::string> next();
  void stop();  // next() returns, now and later
  bool stopped() const { return stopped_; }
  bool begun() const { return reader_ != nullptr; }  // what was read cannot be read again

 private:
  asio::any_io_executor executor_;
  int fd_;
  std::unique_ptr<InputReader> reader_;
  std::optional<std::string> piece_;
  AsyncEvent changed_;
  bool ended_ = false;
  bool stopped_ = false;
};

// For targets that need all input before a command starts: reads it into `spec.stdin_data`.
Task<Result<void>> read_whole_input(CommandSpec& spec, CancelToken cancel);

}  // namespace talaria::environment
