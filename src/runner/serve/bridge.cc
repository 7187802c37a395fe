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

namespace talaria {
namespace {

// So that we and whoever carries our bytes seldom wait for each other.
constexpr int kPipeSize = 256 * 1024;

Task<void> find(RunnerSearch search, std::optional<Result<UniqueFd>>& found) {
  found = co_await find_or_start_runner(std::move(search));
}

Result<UniqueFd> connect_or_start(const ServeArguments& arguments) {
  take_over_abandoned(arguments.place);
  asio::io_context loop(1);
  std::optional<Result<UniqueFd>> found;
  RunnerSearch search{.place = arguments.place,
                      .program = [] { return own_program(); },
                      .environment = own_environment(),
                      .lifetime = arguments.lifetime};
  spawn(loop.get_executor(), find(std::move(search), found));
  loop.run();
  return std::move(*found);
}

}  // namespace

int bridge_main(int argc, char** argv) {
  if (argc != 5 || !is_valid_nonce(argv[4])) {
    std::fputs("usage: talaria-runner connect|batch DIR LIFETIME_SECONDS NONCE\n", stderr);
    return 2;
  }
  ignore_signals({SIGPIPE});
  const auto arguments = parse_serve_arguments(argv[2], argv[3]);
  const auto socket = arguments ? connect_or_start(*arguments) : fail(arguments.error());
  if (!socket) {
    std::fprintf(stderr, "talaria-runner: %s\n", socket.error().message().c_str());
    return 1;
  }
  set_blocking(socket->get());
  widen_pipe(STDOUT_FILENO, kPipeSize);
  if (!write_all(STDOUT_FILENO, preamble_line(argv[4]))) return 1;
  if (std::string_view(argv[1]) == "batch") {
    copy_there_and_back(STDIN_FILENO, STDOUT_FILENO, socket->get());
  } else {
    copy_both_ways(STDIN_FILENO, STDOUT_FILENO, socket->get());
  }
  return 0;
}

}  // namespace talaria
