// talaria_bench_follow LOUD ID...: one controller that follows the output of many processes at
// once, as a program that embeds Talaria would. Each line of the processes but the first is the
// time it was printed at; how long it took to come here goes to standard output, in milliseconds.
// Ends when its standard input does.
#include <talaria/asio_processes.h>
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

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

asio::awaitable<void> follow(AsioProcesses& processes, std::string id, bool timed) {
  TimedLines lines;
  const std::function<void(std::string_view)> on_output = [&](std::string_view bytes) {
    if (timed) lines.take(bytes);
  };
  OutputQuery query{.id = id, .follow = true};
  const auto read = co_await processes.read(std::move(query), on_output);
  give_up(id + (read ? " has ended" : ": " + read.error().message()));
}

void rethrow(std::exception_ptr thrown) {
  if (thrown) std::rethrow_exception(thrown);
}

int run(std::span<char*> ids) {
  asio::io_context loop(1);
  AsioRuntime runtime(loop.get_executor(), {});
  AsioProcesses processes(runtime);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    asio::co_spawn(loop, follow(processes, ids[i], i > 0), rethrow);
  }
  asio::posix::stream_descriptor input(loop, STDIN_FILENO);
  input.async_wait(asio::posix::descriptor_base::wait_read,
                   [](boost::system::error_code) { std::_Exit(0); });
  loop.run();
  return 0;
}

}  // namespace
}  // namespace talaria::bench

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  return talaria::bench::run({argv + 1, argv + argc});
}
