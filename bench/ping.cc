#include "bench/ping.h"

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string>

#include "bench/program.h"

namespace talaria::bench {
namespace {

constexpr std::size_t kMessage = 64;  // bytes
using Message = std::array<char, kMessage>;

struct Sockets {
  os::UniqueFd near;
  os::UniqueFd far;
};

Sockets make_sockets() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    throw std::runtime_error(std::string("socketpair: ") + std::strerror(errno));
  }
  return {.near = os::UniqueFd(ends[0]), .far = os::UniqueFd(ends[1])};
}

bool receive(int socket, Message& message) {
  return ::recv(socket, message.data(), message.size(), 0) > 0;
}

bool send(int socket, const Message& message) {
  return ::send(socket, message.data(), message.size(), MSG_NOSIGNAL) > 0;
}

// From `near` to `far` and back again, until one of them is closed.
void relay(int near, int far) {
  Message message{};
  while (receive(near, message) && send(far, message) && receive(far, message) &&
         send(near, message)) {
  }
}

void echo(int socket) {
  Message message{};
  while (receive(socket, message) && send(socket, message)) {
  }
}

// A child that does `work` and nothing else. It makes system calls only, so it need not exec.
template <class Work>
pid_t fork_to(Work work) {
  const pid_t pid = ::fork();
  if (pid < 0) throw std::runtime_error(std::string("fork: ") + std::strerror(errno));
  if (pid > 0) return pid;
  work();
  ::_exit(0);
}

}  // namespace

Ping::Ping() {
  Sockets first = make_sockets();
  Sockets second = make_sockets();
  relays_[0] = fork_to([&] {
    ::close(first.near.get());
    ::close(second.far.get());
    relay(first.far.get(), second.near.get());
  });
  relays_[1] = fork_to([&] {
    ::close(first.near.get());
    ::close(first.far.get());
    ::close(second.near.get());
    echo(second.far.get());
  });
  near_ = std::move(first.near);
}

Ping::~Ping() {
  near_.reset();
  for (const pid_t relay : relays_) wait_for(relay);
}

void Ping::go() const {
  Message message{};
  if (!send(near_.get(), message) || !receive(near_.get(), message)) {
    throw std::runtime_error("the ping did not come back");
  }
}

}  // namespace talaria::bench
