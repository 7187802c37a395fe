#include "os/quiet_terminal.h"

#include <fcntl.h>
#include <unistd.h>

#include "os/file.h"

namespace talaria {

Result<QuietTerminal> QuietTerminal::open() {
  auto fd = open_file("/dev/tty", O_RDWR | O_NOCTTY | O_NONBLOCK);
  if (!fd) return fail(fd.error());
  if (::tcgetpgrp(fd->get()) != ::getpgrp()) {
    return fail(ErrorKind::unavailable, "another job has the terminal");
  }
  termios before{};
  if (::tcgetattr(fd->get(), &before) < 0) return fail(Error::from_errno("tcgetattr"));
  termios quiet = before;
  quiet.c_iflag |= ICRNL;
  quiet.c_lflag |= ICANON | ISIG;
  quiet.c_lflag &= ~static_cast<tcflag_t>(ECHO | ECHOE | ECHOK | ECHONL);
  quiet.c_cc[VSUSP] = _POSIX_VDISABLE;  // whoever came back would type where it is seen
  if (::tcsetattr(fd->get(), TCSAFLUSH, &quiet) < 0) return fail(Error::from_errno("tcsetattr"));
  return QuietTerminal(std::move(*fd), before);
}

QuietTerminal::~QuietTerminal() {
  if (fd_) ::tcsetattr(fd_.get(), TCSADRAIN, &before_);
}

}  // namespace talaria
