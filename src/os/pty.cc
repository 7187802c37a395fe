#include "os/pty.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <termios.h>

#include "os/file.h"

namespace talaria::os {
namespace {

constexpr char kUsualEndOfInput = 4;  // ^D

// Some containers have no /dev/ptmx but the one inside their own /dev/pts.
Result<UniqueFd> open_master() {
  auto master = open_file("/dev/ptmx", O_RDWR | O_NOCTTY | O_NONBLOCK);
  if (master) return master;
  auto inner = open_file("/dev/pts/ptmx", O_RDWR | O_NOCTTY | O_NONBLOCK);
  return inner ? std::move(inner) : std::move(master);
}

// Kernels before 4.13, and those that only look like Linux, need its name.
Result<UniqueFd> open_terminal(int master) {
  UniqueFd terminal(::ioctl(master, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC));
  if (terminal) return terminal;
  unsigned number = 0;
  if (::ioctl(master, TIOCGPTN, &number) != 0) {
    return fail(Error::from_errno("open a pseudo-terminal"));
  }
  return open_file("/dev/pts/" + std::to_string(number), O_RDWR | O_NOCTTY);
}

winsize kernel_size(WindowSize size) { return {.ws_row = size.rows, .ws_col = size.cols}; }

// Whether `last` ended a line, as the terminal sees it.
bool ends_line(const termios& mode, char last) {
  const auto byte = static_cast<cc_t>(last);
  return last == '\n' || (last == '\r' && (mode.c_iflag & ICRNL) != 0) || byte == mode.c_cc[VEOF] ||
         (byte != 0 && byte == mode.c_cc[VEOL]);
}

}  // namespace

Result<Pty> open_pty(WindowSize size) {
  auto master = open_master();
  if (!master) return fail(master.error());
  const int unlocked = 0;
  if (::ioctl(master->get(), TIOCSPTLCK, &unlocked) != 0) {
    return fail(Error::from_errno("unlock a pseudo-terminal"));
  }
  auto terminal = open_terminal(master->get());
  if (!terminal) return fail(terminal.error());
  if (const auto sized = set_window_size(master->get(), size); !sized) return fail(sized.error());
  return Pty{.master = std::move(*master), .terminal = std::move(*terminal)};
}

Result<void> set_window_size(int master, WindowSize size) {
  const winsize wanted = kernel_size(size);
  if (::ioctl(master, TIOCSWINSZ, &wanted) != 0) {
    return fail(Error::from_errno("set a terminal's size"));
  }
  return {};
}

std::string end_of_input(int master, char last) {
  termios mode{};
  if (::tcgetattr(master, &mode) != 0) return {kUsualEndOfInput};
  const cc_t set = mode.c_cc[VEOF];
  const char end = set == _POSIX_VDISABLE ? kUsualEndOfInput : static_cast<char>(set);
  const bool in_lines = (mode.c_lflag & ICANON) != 0;
  return std::string(in_lines && !ends_line(mode, last) ? 2 : 1, end);
}

}  // namespace talaria::os
