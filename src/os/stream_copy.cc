#include "os/stream_copy.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <vector>

#include "os/file.h"

namespace talaria::os {
namespace {

// Moves what is there from one descriptor to the other. False at the end of the stream.
bool copy_some(int from, int to) {
  static std::vector<char> buffer(256 * 1024);
  const ssize_t size = ::read(from, buffer.data(), buffer.size());
  if (size < 0) return errno == EINTR || errno == EAGAIN;
  if (size == 0) return false;
  return write_all(to, {buffer.data(), static_cast<std::size_t>(size)}).has_value();
}

}  // namespace

void copy_both_ways(int in, int out, int socket) {
  std::array<pollfd, 2> events{pollfd{in, POLLIN, 0}, pollfd{socket, POLLIN, 0}};
  for (;;) {
    ::poll(events.data(), events.size(), -1);
    if (events[1].revents != 0 && !copy_some(socket, out)) return;
    if (events[0].revents != 0 && !copy_some(in, socket)) return;
  }
}

void copy_there_and_back(int in, int out, int socket) {
  while (copy_some(in, socket)) {
  }
  ::shutdown(socket, SHUT_WR);
  while (copy_some(socket, out)) {
  }
}

}  // namespace talaria::os
