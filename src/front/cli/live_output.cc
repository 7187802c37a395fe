#include "front/cli/live_output.h"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace talaria::front::cli {
namespace {

constexpr int kPipeSize = 256 * 1024;  // so that we and our reader seldom wait for each other

}  // namespace

LiveOutput::LiveOutput(int fd, int stop_fd) : fd_(fd), stop_fd_(stop_fd) {
  struct stat status{};
  takes_much_ = ::fstat(fd, &status) == 0 && S_ISFIFO(status.st_mode);
  if (takes_much_ && ::fcntl(fd, F_GETPIPE_SZ) < kPipeSize) ::fcntl(fd, F_SETPIPE_SZ, kPipeSize);
}

// `fd_` is writable.
long LiveOutput::write_some(std::string_view bytes) {
  if (takes_much_) {
    const iovec all{const_cast<char*>(bytes.data()), bytes.size()};
    const ssize_t written = ::pwritev2(fd_, &all, 1, -1, RWF_NOWAIT);
    if (written >= 0 || errno == EPIPE) return written;
    takes_much_ = errno == EAGAIN || errno == EINTR;  // else the kernel does not support it
  }
  // A writable pipe takes at least this much without blocking.
  return ::write(fd_, bytes.data(), std::min<std::size_t>(bytes.size(), PIPE_BUF));
}

bool LiveOutput::write(std::string_view bytes) {
  while (!bytes.empty() && !broken()) {
    std::array<pollfd, 2> waits{pollfd{.fd = fd_, .events = POLLOUT, .revents = 0},
                                pollfd{.fd = stop_fd_, .events = POLLIN, .revents = 0}};
    if (::poll(waits.data(), waits.size(), -1) < 0 && errno != EINTR) error_ = errno;
    if (waits[1].revents != 0) return true;
    if (waits[0].revents == 0) continue;

    const long written = write_some(bytes);
    if (written > 0) bytes.remove_prefix(static_cast<std::size_t>(written));
    if (written < 0 && errno != EAGAIN && errno != EINTR) error_ = errno;
  }
  return !broken();
}

}  // namespace talaria::front::cli
