#include "front/stdio.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "base/result.h"
#include "base/text.h"

namespace talaria::front {

bool write_fully(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written >= 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EAGAIN) {  // someone we share the descriptor with made it non-blocking
      pollfd writable{.fd = fd, .events = POLLOUT, .revents = 0};
      ::poll(&writable, 1, -1);
    } else if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

bool write_output(const Stdio& stdio, std::string_view text) {
  if (write_fully(stdio.out, text)) return true;
  complain_of_output(stdio, errno);
  return false;
}

void complain_of_output(const Stdio& stdio, int code) {
  if (code != EPIPE) complain(stdio, Error::from_errno("write standard output", code).message());
}

void complain(const Stdio& stdio, std::string_view message) {
  write_fully(stdio.err, "talaria: " + sanitize_utf8(message) + "\n");
}

}  // namespace talaria::front
