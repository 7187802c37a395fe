#include "os/unix_socket.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace talaria {
namespace {

struct NewSocket {
  UniqueFd fd;
  sockaddr_un address{.sun_family = AF_UNIX};

  const sockaddr* name() const { return reinterpret_cast<const sockaddr*>(&address); }
};

Result<NewSocket> socket_for(const std::string& path) {
  NewSocket made;
  if (path.size() >= sizeof made.address.sun_path) {
    return fail(ErrorKind::bad_request, path + ": too long for a socket");
  }
  path.copy(made.address.sun_path, path.size());
  made.fd.reset(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!made.fd) return fail(Error::from_errno("socket"));
  return made;
}

}  // namespace

Result<UniqueFd> connect_to_socket(const std::string& path) {
  auto socket = socket_for(path);
  if (!socket) return fail(socket.error());
  if (::connect(socket->fd.get(), socket->name(), sizeof socket->address) < 0) {
    const Error error = Error::from_errno("connect " + path);
    return fail(ErrorKind::unavailable, error.message());
  }
  return std::move(socket->fd);
}

Result<UniqueFd> listen_at_socket(const std::string& path) {
  auto socket = socket_for(path);
  if (!socket) return fail(socket.error());
  ::unlink(path.c_str());
  if (::bind(socket->fd.get(), socket->name(), sizeof socket->address) < 0) {
    return fail(Error::from_errno("bind " + path));
  }
  if (::listen(socket->fd.get(), SOMAXCONN) < 0) return fail(Error::from_errno("listen " + path));
  return std::move(socket->fd);
}

}  // namespace talaria
