#include "runner/serve/bridge.h"

#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <optional>
#include <string_view>

#include <boost/asio/io_context.hpp>

#include "link/preamble.h"
#include "os/file.h"
#include "os/own_environment.h"
#include "os/own_process.h"
#include "os/own_program.h"
#include "os/stream_copy.h"
#include "rendezvous/find_runner.h"
#include "rendezvous/take_over.h"
#include "runner/serve/serve.h"

namespace talaria::runner {
namespace {

// So that we and the program that carries our bytes seldom wait for each other.
constexpr int kPipeSize = 256 * 1024;

Task<void> find(rendezvous::RunnerSearch search, std::optional<Result<os::UniqueFd>>& found) {
  found = co_await rendezvous::find_or_start_runner(std::move(search));
}

Result<os::UniqueFd> connect_or_start(const ServeArguments& arguments) {
  rendezvous::take_over_abandoned(arguments.place);
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
    os::copy_there_and_back(STDIN_FILENO, STDOUT_FILENO, socket->get());
  } else {
    os::copy_both_ways(STDIN_FILENO, STDOUT_FILENO, socket->get());
  }
  return 0;
}

}  // namespace talaria::runner
