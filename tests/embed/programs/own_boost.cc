// A program with a header-only Boost.Asio of its own, configured otherwise than that in the
// library. It crashed at -O0: the two shared symbols, and not their layout.
#include <talaria/asio.h>

#include <chrono>
#include <future>
#include <iostream>
#include <string>
#include <utility>

#include <boost/asio/deadline_timer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_future.hpp>
#include <boost/asio/write.hpp>

namespace asio = boost::asio;

namespace {

// What an ordinary program does with it: timers, sockets, a thread pool.
bool own_work_is_right(asio::io_context& loop) {
  asio::ip::tcp::acceptor acceptor(loop, {asio::ip::address_v4::loopback(), 0});
  asio::ip::tcp::socket client(loop);
  asio::ip::tcp::socket server(loop);
  std::string got(4, ' ');
  client.async_connect(acceptor.local_endpoint(), [&](auto) {
    asio::async_write(client, asio::buffer("ping", 4), [](auto, std::size_t) {});
  });
  acceptor.async_accept(
      server, [&](auto) { asio::async_read(server, asio::buffer(got), [](auto, std::size_t) {}); });
  asio::steady_timer timer(loop, std::chrono::milliseconds(1));
  bool rang = false;
  timer.async_wait([&](auto) { rang = true; });
  asio::thread_pool pool(2);
  const auto strand = asio::make_strand(pool);
  std::promise<int> posted;
  asio::post(strand, [&] { posted.set_value(7); });
  loop.run();
  loop.restart();
  return rang && got == "ping" && posted.get_future().get() == 7;
}

}  // namespace

int main() {
  asio::io_context loop;
  if (!own_work_is_right(loop)) return 2;
  auto runtime = talaria::Runtime::make();
  if (!runtime) return 3;
  std::string output;
  talaria::async_run(loop.get_executor(), *runtime, {.text = "echo called back"},
                     [&](talaria::Result<talaria::Outcome> outcome) {
                       output = outcome ? outcome->output : outcome.error().message();
                     });
  auto answer = talaria::async_call(loop.get_executor(), *runtime, "terminal",
                                    R"({"command":"echo in the future"})", {}, asio::use_future);
  if (!own_work_is_right(loop)) return 4;
  std::cout << output << answer.get() << "\n";
}
