#include "environment/docker/runner_socket.h"

#include <sys/socket.h>

#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>

#include "base/time_limit.h"
#include "environment/runner_stream.h"
#include "os/unix_socket.h"
#include "rendezvous/runner_place.h"

namespace talaria::environment::docker {
namespace {

constexpr auto kPatience = std::chrono::seconds(1);
constexpr auto kPause = std::chrono::milliseconds(2);

Result<os::UniqueFd> open_socket(const RunnerSocket& socket) {
  return os::connect_to_socket_below(socket.home, rendezvous::RunnerPlace{socket.runner}.socket());
}

Task<bool> is_readable(asio::posix::stream_descriptor& stream) {
  const auto [error] =
      co_await stream.async_wait(asio::posix::stream_descriptor::wait_read, as_values);
  co_return !error;
}

// A runner hangs up on a caller that sends nothing. For a frozen runner the kernel would accept the
// connection and let the caller wait.
Task<bool> answers(const RunnerSocket& socket) {
  auto caller = open_socket(socket);
  if (!caller || ::shutdown(caller->get(), SHUT_WR) < 0) co_return false;
  asio::posix::stream_descriptor stream(co_await asio::this_coro::executor, caller->release());
  co_return (co_await within(kPatience, is_readable(stream))).value_or(false);
}

}  // namespace

Result<os::UniqueFd> open_beside(const RunnerSocket& socket, const std::string& name) {
  return os::connect_to_socket_below(socket.home, socket.runner + "/" + name);
}

Task<std::optional<link::ByteStream>> connect_to(RunnerSocket socket) {
  if (!co_await answers(socket)) co_return std::nullopt;
  auto connected = open_socket(socket);
  if (!connected) co_return std::nullopt;
  auto stream = runner_stream(co_await asio::this_coro::executor, std::move(*connected),
                              rendezvous::RunnerPlace{socket.home + "/" + socket.runner});
  if (!stream) co_return std::nullopt;
  stream->about = [container = std::move(socket.container)] {
    return "the runner of " + container;
  };
  co_return std::move(*stream);
}

Task<std::optional<link::ByteStream>> connect_soon(RunnerSocket socket,
                                                   std::chrono::milliseconds patience) {
  const auto until = std::chrono::steady_clock::now() + patience;
  asio::steady_timer pause(co_await asio::this_coro::executor);
  for (;;) {
    if (auto stream = co_await connect_to(socket)) co_return std::move(*stream);
    if (std::chrono::steady_clock::now() >= until) co_return std::nullopt;
    pause.expires_after(kPause);
    co_await pause.async_wait(as_values);
  }
}

}  // namespace talaria::environment::docker
