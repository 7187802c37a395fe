#include "os/unix_socket.h"

#include <sys/socket.h>
#include <sys/un.h>

#include "os/file.h"

namespace talaria {

Result<UniqueFd> connect_to_socket(const std::string& path) {
  sockaddr_un address{.sun_family = AF_UNIX};
  if (path.size() >= sizeof address.sun_path) {
    return fail(ErrorKind::bad_request, path + ": too long for a socket");
  }
  path.copy(address.sun_path, path.size());
  UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket) return fail(Error::from_errno("socket"));
  if (::connect(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) < 0) {
    const Error error = Error::from_errno("connect " + path);
    return fail(ErrorKind::unavailable, error.message());
  }
  return socket;
}

}  // namespace talaria
