#include <sys/socket.h>
#include <talaria/input.h>

#include <array>
#include <cerrno>
#include <memory>

#include "api/input_state.h"
#include "base/result.h"

namespace talaria {

// A socket, because its ends can be closed while others wait at them, and it raises no SIGPIPE.
Result<Input> Input::make() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return fail(Error::from_errno("socketpair"));
  }
  return Input(std::make_shared<State>(os::UniqueFd(ends[0]), os::UniqueFd(ends[1])));
}

bool Input::write(std::string_view bytes) const { return state_->write(bytes); }
void Input::close() const { state_->close(); }

bool Input::State::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t size = ::send(write_end_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(size));
  }
  return true;
}

void Input::State::close() { ::shutdown(write_end_.get(), SHUT_WR); }
void Input::State::nobody_reads() { ::shutdown(read_end_.get(), SHUT_RDWR); }

}  // namespace talaria
