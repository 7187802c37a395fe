// Unix sockets by path, for tests that stand at a runner's place or talk to one.
#pragma once

#include <sys/socket.h>
#include <sys/un.h>

#include <stdexcept>
#include <string>

#include "os/unique_fd.h"

namespace talaria::test {

inline sockaddr_un unix_address(const std::string& path) {
  sockaddr_un address{.sun_family = AF_UNIX};
  if (path.size() >= sizeof address.sun_path) throw std::runtime_error(path + ": too long");
  path.copy(address.sun_path, path.size());
  return address;
}

inline os::UniqueFd listen_at(const std::string& path) {
  const sockaddr_un address = unix_address(path);
  os::UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) < 0 ||
      ::listen(socket.get(), 16) < 0) {
    throw std::runtime_error("listen at " + path);
  }
  return socket;
}

// Empty if nobody listens there.
inline os::UniqueFd connect_to(const std::string& path) {
  const sockaddr_un address = unix_address(path);
  os::UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) < 0) {
    return {};
  }
  return socket;
}

}  // namespace talaria::test
