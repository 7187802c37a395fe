#include "front/cli/live_output.h"

#include <limits.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace talaria {

bool LiveOutput::write(std::string_view bytes) {
  while (!bytes.empty() && !broken()) {
    std::array<pollfd, 2> waits{pollfd{.fd = fd_, .events = POLLOUT, .revents = 0},
                                pollfd{.fd = stop_fd_, .events = POLLIN, .revents = 0}};
    if (::poll(waits.data(), waits.size(), -1) < 0 && errno != EINTR) error_ = errno;
    if (waits[1].revents != 0) return true;
    if (waits[0].revents == 0) continue;

    // A writable pipe takes at least this much without blocking.
    const ssize_t written =
        ::write(fd_, bytes.data(), std::min<std::size_t>(bytes.size(), PIPE_BUF));
    if (written > 0) bytes.remove_prefix(static_cast<std::size_t>(written));
    if (written < 0 && errno != EAGAIN && errno != EINTR) error_ = errno;
  }
  return !broken();
}

}  // namespace talaria
