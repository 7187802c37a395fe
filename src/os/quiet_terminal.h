// QuietTerminal: the terminal that controls this process, reading by lines and showing nothing of
// what is typed. When it is destroyed the terminal is as it was.
#pragma once

#include <termios.h>

#include "base/result.h"
#include "os/unique_fd.h"

namespace talaria {

class QuietTerminal {
 public:
  // Fails where there is none, or another job is in its foreground. What was typed before is
  // dropped: it was not meant for whoever asks now.
  static Result<QuietTerminal> open();

  QuietTerminal(QuietTerminal&& other) noexcept = default;
  QuietTerminal& operator=(QuietTerminal&&) = delete;
  ~QuietTerminal();

  int fd() const { return fd_.get(); }

 private:
  QuietTerminal(UniqueFd fd, const termios& before) : fd_(std::move(fd)), before_(before) {}

  UniqueFd fd_;
  termios before_;
};

}  // namespace talaria
