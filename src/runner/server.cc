#include "runner/server.h"

#include <csignal>

#include <boost/asio/steady_timer.hpp>

namespace talaria {
namespace {

constexpr auto kAcceptPause = std::chrono::milliseconds(100);

}  // namespace

Server::Server(asio::io_context& loop, Supervisor& supervisor, UniqueFd listener)
    : supervisor_(supervisor),
      acceptor_(loop, asio::local::stream_protocol(), listener.release()),
      signals_(loop, SIGTERM) {
  signals_.async_wait([this](boost::system::error_code error, int) {
    if (!error) (void)supervisor_.stop(true);
  });
  spawn(loop.get_executor(), accept());
}

void Server::close() {
  boost::system::error_code ignored;
  acceptor_.close(ignored);
  signals_.cancel(ignored);
  for (const auto& [key, weak] : links_) {
    if (const auto link = weak.lock()) link->close(CloseReason::shutdown, "the runner ends");
  }
}

Task<void> Server::accept() {
  for (;;) {
    auto [error, socket] = co_await acceptor_.async_accept(as_values);
    if (error == asio::error::operation_aborted) co_return;
    if (error) {  // no descriptor left, most likely: others must end first
      asio::steady_timer pause(acceptor_.get_executor(), kAcceptPause);
      co_await pause.async_wait(as_values);
      continue;
    }
    const ConnectionKey key = ++connections_;
    const auto link = std::make_shared<RunnerLink>(supervisor_, std::move(socket), key,
                                                   [this](ConnectionKey other) { close(other); });
    links_[key] = link;
    std::erase_if(links_, [](const auto& entry) { return entry.second.expired(); });
    spawn(acceptor_.get_executor(), link->serve());
  }
}

void Server::close(ConnectionKey key) {
  const auto found = links_.find(key);
  if (found == links_.end()) return;
  if (const auto link = found->second.lock()) {
    link->close(CloseReason::superseded, "the link has a newer connection");
  }
}

}  // namespace talaria
