#include "os/unix_socket.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "os/below.h"
#include "os/file.h"

namespace talaria::os {
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

Result<UniqueFd> connect_to_socket_below(const std::string& root, const std::string& path) {
  const auto place = find_below(root, path);
  if (!place) return fail(place.error());
  const auto found = open_file_at(place->directory.get(), place->name, O_PATH | O_NOFOLLOW);
  if (!found) return fail(found.error());
  struct stat facts{};
  if (::fstat(found->get(), &facts) < 0 || !S_ISSOCK(facts.st_mode)) {
    return fail(ErrorKind::denied, root + "/" + path + ": no socket");
  }
  // What was looked at is what is connected to, whatever stands at the path by now.
  return connect_to_socket("/proc/self/fd/" + std::to_string(found->get()));
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

}  // namespace talaria::os
