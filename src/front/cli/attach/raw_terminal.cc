#include "front/cli/attach/raw_terminal.h"

#include <sys/ioctl.h>

#include <utility>

namespace talaria::front::cli {

Result<RawTerminal> RawTerminal::enter(int fd) {
  termios before{};
  if (::tcgetattr(fd, &before) != 0) return fail(Error::from_errno("read the terminal's settings"));
  termios raw = before;
  ::cfmakeraw(&raw);
  raw.c_cc[VMIN] = 1;
  raw.c_cc[VTIME] = 0;
  if (::tcsetattr(fd, TCSANOW, &raw) != 0) {
    return fail(Error::from_errno("change the terminal's settings"));
  }
  return RawTerminal(fd, before);
}

RawTerminal::RawTerminal(RawTerminal&& other) noexcept
    : fd_(other.fd_), before_(std::exchange(other.before_, std::nullopt)) {}

void RawTerminal::leave() {
  if (before_) ::tcsetattr(fd_, TCSANOW, &*before_);
  before_.reset();
}

std::optional<ScreenSize> size_of_terminal(int fd) {
  winsize size{};
  if (::ioctl(fd, TIOCGWINSZ, &size) != 0 || size.ws_row == 0 || size.ws_col == 0) {
    return std::nullopt;
  }
  return ScreenSize{.rows = size.ws_row, .cols = size.ws_col};
}

}  // namespace talaria::front::cli
