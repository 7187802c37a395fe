#include "runner/bridge.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "link/handshake.h"
#include "link/preamble.h"
#include "os/file.h"
#include "os/own_program.h"
#include "os/spawn.h"

extern char** environ;

namespace talaria {
namespace {

constexpr int kStartAttempts = 500;
constexpr auto kStartPause = std::chrono::milliseconds(20);

Result<UniqueFd> connect_to(const std::string& directory) {
  sockaddr_un address{.sun_family = AF_UNIX};
  const std::string path = directory + "/link-v" + std::to_string(kProtocolMajor) + ".sock";
  if (path.size() >= sizeof address.sun_path) {
    return fail(ErrorKind::bad_request, path + ": too long for a socket");
  }
  path.copy(address.sun_path, path.size());
  UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!socket) return fail(Error::from_errno("socket"));
  if (::connect(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) < 0) {
    return fail(Error::from_errno("connect " + path));
  }
  return socket;
}

// Runs `serve` and reads what it says: "ready INSTANCE", or why it could not.
Result<void> start_runner(char** argv) {
  auto answer = make_pipe();
  if (!answer) return fail(answer.error());
  const std::string program = own_program();
  SpawnSpec spec{.path = program.c_str(),
                 .argv = {"talaria-runner", "serve", argv[2], argv[3]},
                 .fds = {-1, answer->writer.get(), -1}};
  for (char** entry = environ; *entry != nullptr; ++entry) spec.env.push_back(*entry);
  const auto pid = spawn_process(spec);
  if (!pid) return fail(pid.error());
  answer->writer.reset();
  const std::string said = read_line(answer->reader.get());
  ::waitpid(*pid, nullptr, 0);
  if (said.starts_with("ready ")) return {};
  if (said.starts_with("another runner")) return fail(ErrorKind::timed_out, said);
  return fail(ErrorKind::unavailable, "the runner did not start: " + said);
}

// A runner that somebody else has just started, or that is about to end, holds its lock but does
// not answer: then we wait a little.
Result<UniqueFd> connect_or_start(char** argv) {
  for (int attempt = 0;; ++attempt) {
    auto socket = connect_to(argv[2]);
    if (socket) return socket;
    const auto started = start_runner(argv);
    if (started) return connect_to(argv[2]);
    if (started.error().kind() != ErrorKind::timed_out || attempt == kStartAttempts) {
      return fail(started.error());
    }
    std::this_thread::sleep_for(kStartPause);
  }
}

// Moves what is there from one descriptor to the other. False at the end of the stream.
bool copy_some(int from, int to) {
  static std::vector<char> buffer(256 * 1024);
  const ssize_t size = ::read(from, buffer.data(), buffer.size());
  if (size < 0) return errno == EINTR || errno == EAGAIN;
  if (size == 0) return false;
  return write_all(to, {buffer.data(), static_cast<std::size_t>(size)}).has_value();
}

void copy_both_ways(int socket) {
  std::array<pollfd, 2> events{pollfd{STDIN_FILENO, POLLIN, 0}, pollfd{socket, POLLIN, 0}};
  for (;;) {
    ::poll(events.data(), events.size(), -1);
    if (events[1].revents != 0 && !copy_some(socket, STDOUT_FILENO)) return;
    if (events[0].revents != 0 && !copy_some(STDIN_FILENO, socket)) return;
  }
}

void copy_batch(int socket) {
  while (copy_some(STDIN_FILENO, socket)) {
  }
  ::shutdown(socket, SHUT_WR);
  while (copy_some(socket, STDOUT_FILENO)) {
  }
}

}  // namespace

int bridge_main(int argc, char** argv) {
  if (argc != 5 || !is_valid_nonce(argv[4])) {
    std::fputs("usage: talaria-runner connect|batch DIR LIFETIME_SECONDS NONCE\n", stderr);
    return 2;
  }
  ::signal(SIGPIPE, SIG_IGN);
  const auto socket = connect_or_start(argv);
  if (!socket) {
    std::fprintf(stderr, "talaria-runner: %s\n", socket.error().message().c_str());
    return 1;
  }
  if (!write_all(STDOUT_FILENO, preamble_line(argv[4]))) return 1;
  if (std::string_view(argv[1]) == "batch") {
    copy_batch(socket->get());
  } else {
    copy_both_ways(socket->get());
  }
  return 0;
}

}  // namespace talaria
