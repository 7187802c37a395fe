// RawTerminal: puts our terminal into raw mode, so that a remote program gets every key and
// controls the screen. The destructor restores the terminal.
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

  void leave();  // may be called again

 private:
  RawTerminal(int fd, const termios& before) : fd_(fd), before_(before) {}

  int fd_;
  std::optional<termios> before_;  // nothing: left already
};

// Nothing if it has no size, or is not a terminal.
std::optional<ScreenSize> size_of_terminal(int fd);

}  // namespace talaria::front::cli
