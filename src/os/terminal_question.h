// TerminalQuestion: asks the person at the terminal that controls this process for one line. It
// goes to that terminal whatever our standard streams are: what a command is to read is not
// touched. Two programs never ask at one terminal at the same time: one waits until the other has
// its answer.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>

#include "base/result.h"
#include "base/secret.h"
#include "base/task.h"

namespace talaria::os {

class TerminalQuestion {
 public:
  enum class Typing { shown, hidden };

  // Whether there is such a terminal, and it is ours to use now.
  static bool is_possible();

  // Fails where there is none, or another job is in its foreground.
  static Result<std::shared_ptr<TerminalQuestion>> open(const asio::any_io_executor& executor);

  // Waits for its turn, shows `text` (again, when we were stopped meanwhile) and reads a line. What
  // was typed before is dropped: it was not meant for us. Nothing: end of input, a line that is too
  // long, or give_up() was called. The terminal is as it was when this returns.
  Task<std::optional<Secret>> ask(std::string text, Typing typing);

  // Shows `text` without an answer; nothing at a terminal that is stopped.
  void say(std::string_view text);

  static bool has_colours();

  // On the executor's thread.
  void give_up();

 private:
  explicit TerminalQuestion(asio::posix::stream_descriptor terminal);

  Task<bool> take_turn(int device);
  Task<std::optional<Secret>> read_line();

  asio::posix::stream_descriptor terminal_;
  asio::steady_timer turn_;
  bool given_up_ = false;
};

}  // namespace talaria::os
