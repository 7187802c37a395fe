// talaria_bench_follow LOUD ID...: one controller that follows the output of many processes at
// once, as a program that embeds Talaria would. Each line of the processes but the first is the
// time it was printed at; how long it took to come here goes to standard output, in milliseconds.
// Ends when its standard input does.
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include "api/asio_processes.h"

namespace talaria::bench {
namespace {

namespace asio = boost::asio;

// "1763200000.123456": seconds since 1970, as $EPOCHREALTIME says it.
double milliseconds_since(std::string_view printed) {
  double then = 0;
  std::from_chars(printed.begin(), printed.end(), then);
  const std::chrono::duration<double> now = std::chrono::system_clock::now().time_since_epoch();
  return (now.count() - then) * 1000;
}

// Takes output in pieces of any size.
class TimedLines {
 public:
  void take(std::string_view bytes) {
    unread_ += bytes;
    for (std::size_t end = 0; (end = unread_.find('\n')) != std::string::npos;) {
      std::printf("%.3f\n", milliseconds_since(std::string_view(unread_).substr(0, end)));
      unread_.erase(0, end + 1);
    }
    std::fflush(stdout);
  }

 private:
  std::string unread_;
};

[[noreturn]] void give_up(const std::string& why) {
  std::fprintf(stderr, "talaria_bench_follow: %s\n", why.c_str());
  std::exit(1);
}

asio::awaitable<void> follow(AsioProcesses& processes, std::string id,
                             std::function<void(std::string_view)> on_output) {
  OutputQuery query{.id = id, .follow = true};
  const auto read = co_await processes.read(std::move(query), std::move(on_output));
  give_up(id + (read ? " has ended" : ": " + read.error().message()));
}

void rethrow(std::exception_ptr thrown) {
  if (thrown) std::rethrow_exception(thrown);
}

int run(std::span<char*> ids) {
  asio::io_context loop(1);
  AsioRuntime runtime(loop.get_executor(), {});
  AsioProcesses processes(runtime);
  std::uint64_t loud = 0;
  const auto count = [&loud](std::string_view bytes) { loud += bytes.size(); };
  asio::co_spawn(loop, follow(processes, ids[0], count), rethrow);
  for (const char* id : ids.subspan(1)) {
    const auto time = [lines = TimedLines()](std::string_view bytes) mutable { lines.take(bytes); };
    asio::co_spawn(loop, follow(processes, id, time), rethrow);
  }
  asio::posix::stream_descriptor input(loop, STDIN_FILENO);
  input.async_wait(asio::posix::descriptor_base::wait_read, [&loud](boost::system::error_code) {
    std::printf("bytes %llu\n", static_cast<unsigned long long>(loud));
    std::fflush(stdout);
    std::_Exit(0);
  });
  loop.run();
  return 0;
}

}  // namespace
}  // namespace talaria::bench

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  if (argc < 2) {
    std::fputs("usage: talaria_bench_follow LOUD ID...\n", stderr);
    return 2;
  }
  return talaria::bench::run({argv + 1, argv + argc});
}
