// The same on a Boost.Asio loop of the program's own: two commands at once, and one that is
// cancelled by the loop's way to cancel. Prints "first" and "second", each from its own session,
// and then "interrupted".
#include <talaria/asio.h>

#include <chrono>
#include <exception>
#include <iostream>
#include <string>
#include <utility>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace asio = boost::asio;

namespace {

void rethrow(const std::exception_ptr& thrown) {
  if (thrown) std::rethrow_exception(thrown);
}

asio::awaitable<talaria::Result<talaria::Outcome>> run(talaria::Runtime& runtime,
                                                       talaria::Command command) {
  const auto executor = co_await asio::this_coro::executor;
  co_return co_await talaria::async_run(executor, runtime, std::move(command), asio::use_awaitable);
}

asio::awaitable<void> say(talaria::Runtime& runtime, std::string what) {
  talaria::Command set;
  set.text = "export WHAT=" + what;
  set.task = what;
  co_await run(runtime, set);
  talaria::Command show;
  show.text = "echo $WHAT";
  show.task = what;
  const auto outcome = co_await run(runtime, show);
  std::cout << (outcome ? outcome->output : outcome.error().message() + "\n");
}

asio::awaitable<void> give_up(talaria::Runtime& runtime) {
  using namespace asio::experimental::awaitable_operators;
  asio::steady_timer timer(co_await asio::this_coro::executor, std::chrono::milliseconds(200));
  talaria::Command sleep;
  sleep.text = "sleep 600";
  co_await (run(runtime, sleep) || timer.async_wait(asio::use_awaitable));
  std::cout << "interrupted\n";
}

asio::awaitable<void> all(talaria::Runtime& runtime) {
  using namespace asio::experimental::awaitable_operators;
  co_await (say(runtime, "first") && say(runtime, "second"));
  co_await give_up(runtime);
}

}  // namespace

int main() {
  asio::io_context loop;  // before the runtime: it outlives it
  auto runtime = talaria::Runtime::make();
  if (!runtime) {
    std::cerr << runtime.error().message() << "\n";
    return 1;
  }
  asio::co_spawn(loop, all(*runtime), rethrow);
  loop.run();
}
