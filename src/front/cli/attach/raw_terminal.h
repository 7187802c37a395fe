// RawTerminal: our terminal while somebody else's program uses it: every key goes to that program,
// and what it prints is shown as it is. The terminal is as before when this is gone.
#pragma once

#include <talaria/process.h>
#include <termios.h>

#include <optional>

#include "base/result.h"

namespace talaria::front::cli {

class RawTerminal {
 public:
  static Result<RawTerminal> enter(int fd);  // borrowed
  RawTerminal(RawTerminal&& other) noexcept;
  RawTerminal& operator=(RawTerminal&&) = delete;
  ~RawTerminal() { leave(); }

  void leave();  // also more than once

 private:
  RawTerminal(int fd, const termios& before) : fd_(fd), before_(before) {}

  int fd_;
  std::optional<termios> before_;  // nothing: left already
};

// Nothing if it has none, or is no terminal.
std::optional<ScreenSize> size_of_terminal(int fd);

}  // namespace talaria::front::cli
