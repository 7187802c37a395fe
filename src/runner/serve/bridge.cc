#include "runner/serve/bridge.h"

#include <fcntl.h>
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

// One direction. The kernel moves the bytes where one end is a pipe; else they are copied.
class Flow {
 public:
  Flow(int from, int to) : from_(from), to_(to) {}

  int from() const { return from_; }

  // What can be read now. False at the end of the stream.
  bool pass_some() {
    if (moves_) {
      const ssize_t size = ::splice(from_, nullptr, to_, nullptr, kPipeSize, SPLICE_F_MOVE);
      if (size >= 0) return size > 0;
      if (errno == EAGAIN) return wait_for_room();
      if (errno != EINVAL) return errno == EINTR;
      moves_ = false;
    }
    static std::vector<char> buffer(kPipeSize);
    const ssize_t size = ::read(from_, buffer.data(), buffer.size());
    if (size < 0) return errno == EINTR || errno == EAGAIN;
    if (size == 0) return false;
    return os::write_all(to_, {buffer.data(), static_cast<std::size_t>(size)}).has_value();
  }

 private:
  bool wait_for_room() const {
    pollfd room{to_, POLLOUT, 0};
    return ::poll(&room, 1, -1) >= 0 || errno == EINTR;
  }

  int from_;
  int to_;
  bool moves_ = true;
};

// Both ways at once, until either side ends.
void pass_both_ways(Flow in, Flow out) {
  std::array<pollfd, 2> events{pollfd{in.from(), POLLIN, 0}, pollfd{out.from(), POLLIN, 0}};
  for (;;) {
    ::poll(events.data(), events.size(), -1);
    if (events[1].revents != 0 && !out.pass_some()) return;
    if (events[0].revents != 0 && !in.pass_some()) return;
  }
}

// All of `in`, to its end, and then everything that comes back.
void pass_there_and_back(Flow in, Flow out) {
  while (in.pass_some()) {
  }
  ::shutdown(out.from(), SHUT_WR);
  while (out.pass_some()) {
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
  const Flow in(STDIN_FILENO, socket->get());
  const Flow out(socket->get(), STDOUT_FILENO);
  std::string_view(argv[1]) == "batch" ? pass_there_and_back(in, out) : pass_both_ways(in, out);
  return 0;
}

}  // namespace talaria::runner
