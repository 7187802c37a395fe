#include "runner/serve/bridge.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <optional>
#include <string_view>
#include <vector>

#include <boost/asio/io_context.hpp>

#include "link/preamble.h"
#include "os/file.h"
#include "os/own_process.h"
#include "rendezvous/find_runner.h"
#include "rendezvous/inherit_directory.h"
#include "runner/serve/serve.h"

namespace talaria::runner {
namespace {

// So that we and the program that carries our bytes seldom wait for each other.
constexpr int kPipeSize = 256 * 1024;

Task<void> find(rendezvous::RunnerSearch search, std::optional<Result<os::UniqueFd>>& found) {
  found = co_await rendezvous::find_or_start_runner(std::move(search));
}

Result<os::UniqueFd> connect_or_start(const ServeArguments& arguments) {
  rendezvous::inherit_directory(arguments.place);
  asio::io_context loop(1);
  std::optional<Result<os::UniqueFd>> found;
  rendezvous::RunnerSearch search{.place = arguments.place,
                                  .program = [] { return os::own_program(); },
                                  .environment = os::own_environment(),
                                  .lifetime = arguments.lifetime};
  spawn(loop.get_executor(), find(std::move(search), found));
  loop.run();
  return std::move(*found);
}

// Copies what can be read now. False at the end of the stream.
bool copy_some(int from, int to) {
  static std::vector<char> buffer(256 * 1024);
  const ssize_t size = ::read(from, buffer.data(), buffer.size());
  if (size < 0) return errno == EINTR || errno == EAGAIN;
  if (size == 0) return false;
  return os::write_all(to, {buffer.data(), static_cast<std::size_t>(size)}).has_value();
}

// Copies both ways at once, until either side ends.
void copy_both_ways(int in, int out, int socket) {
  std::array<pollfd, 2> events{pollfd{in, POLLIN, 0}, pollfd{socket, POLLIN, 0}};
  for (;;) {
    ::poll(events.data(), events.size(), -1);
    if (events[1].revents != 0 && !copy_some(socket, out)) return;
    if (events[0].revents != 0 && !copy_some(in, socket)) return;
  }
}

// Copies all of `in`, to its end, and then everything that comes back.
void copy_there_and_back(int in, int out, int socket) {
  while (copy_some(in, socket)) {
  }
  ::shutdown(socket, SHUT_WR);
  while (copy_some(socket, out)) {
  }
}

}  // namespace

int bridge_main(int argc, char** argv) {
  if (argc != 5 || !link::is_valid_nonce(argv[4])) {
    std::fputs("usage: talaria-runner connect|batch DIR LIFETIME_SECONDS NONCE\n", stderr);
    return 2;
  }
  os::ignore_signals({SIGPIPE});
  const auto arguments = parse_serve_arguments(argv[2], argv[3]);
  const auto socket = arguments ? connect_or_start(*arguments) : fail(arguments.error());
  if (!socket) {
    std::fprintf(stderr, "talaria-runner: %s\n", socket.error().message().c_str());
    return 1;
  }
  os::set_blocking(socket->get());
  os::widen_pipe(STDOUT_FILENO, kPipeSize);
  if (!os::write_all(STDOUT_FILENO, link::preamble_line(argv[4]))) return 1;
  if (std::string_view(argv[1]) == "batch") {
    copy_there_and_back(STDIN_FILENO, STDOUT_FILENO, socket->get());
  } else {
    copy_both_ways(STDIN_FILENO, STDOUT_FILENO, socket->get());
  }
  return 0;
}

}  // namespace talaria::runner
