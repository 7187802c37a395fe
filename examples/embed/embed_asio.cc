// The same without a thread, on a Boost.Asio loop of the program's own: two commands at once.
// Prints "first" and "second", each from its own session.
#include <talaria/asio.h>

#include <csignal>
#include <exception>
#include <iostream>
#include <string>
#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

namespace asio = boost::asio;

asio::awaitable<void> say(talaria::AsioRuntime& runtime, std::string what) {
  talaria::Command set{.text = "export WHAT=" + what, .task = what};
  co_await runtime.run(std::move(set));
  talaria::Command show{.text = "echo $WHAT", .task = what};
  const auto outcome = co_await runtime.run(std::move(show));
  std::cout << (outcome ? outcome->output : outcome.error().message() + "\n");
}

int main() {
  std::signal(SIGPIPE, SIG_IGN);
  asio::io_context loop;
  talaria::AsioRuntime runtime(loop.get_executor(), {});
  int left = 2;
  for (const char* what : {"first", "second"}) {
    asio::co_spawn(loop, say(runtime, what), [&](const std::exception_ptr& thrown) {
      if (thrown) std::rethrow_exception(thrown);
      if (--left == 0) loop.stop();  // the link to the runner stays open for the next call
    });
  }
  loop.run();
}
