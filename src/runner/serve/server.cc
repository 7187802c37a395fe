#include "runner/serve/server.h"

#include <csignal>

#include "runner/limits.h"

namespace talaria::runner {
namespace {

constexpr auto kUnusedPause = std::chrono::seconds(1);  // links notify; commands are polled

}  // namespace

Server::Server(asio::io_context& loop, RunnerParts& parts, os::UniqueFd listener)
    : parts_(parts),
      acceptor_(loop, asio::local::stream_protocol(), listener.release()),
      signals_(loop, SIGTERM),
      unused_(loop) {
  signals_.async_wait([this](boost::system::error_code error, int) {
    if (!error) (void)parts_.stop(true);
  });
  spawn(loop.get_executor(), accept());
}

void Server::listen(os::UniqueFd listener) {
  acceptor_ =
      Acceptor(acceptor_.get_executor(), asio::local::stream_protocol(), listener.release());
  spawn(acceptor_.get_executor(), accept());
}

void Server::retire() {
  boost::system::error_code ignored;
  acceptor_.close(ignored);
  retired_ = true;
  end_if_unused();
}

void Server::end_if_unused() {
  const link::StatusReport now = parts_.status();
  if (now.links == 0 && now.processes == 0) {
    (void)parts_.stop(false);
    return;
  }
  // Controllers find another runner. One that waits for a command gets its result first.
  if (!parts_.runs().any_in_foreground()) {
    close_links("the directory of the runner was removed or moved");
  }
  unused_.expires_after(kUnusedPause);
  unused_.async_wait([this](boost::system::error_code error) {
    if (!error) end_if_unused();
  });
}

void Server::close() {
  boost::system::error_code ignored;
  acceptor_.close(ignored);
  signals_.cancel(ignored);
  retired_ = false;
  unused_.cancel();
  close_links("the runner is shutting down");
}

void Server::close_links(const std::string& why) {
  for (const auto& [key, weak] : links_) {
    const auto link = weak.lock();
    if (link) link->close(link::CloseReason::shutdown, why);
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
    const link::ConnectionKey key = ++connections_;
    const auto link = std::make_shared<RunnerLink>(
        parts_, std::move(socket), key, [this](link::ConnectionKey other) { close(other); });
    links_[key] = link;
    std::erase_if(links_, [](const auto& entry) { return entry.second.expired(); });
    spawn(acceptor_.get_executor(), serve(link));
  }
}

Task<void> Server::serve(std::shared_ptr<RunnerLink> link) {
  co_await link->serve();
  link.reset();  // it is counted until it is gone
  if (retired_) end_if_unused();
}

void Server::close(link::ConnectionKey key) {
  const auto found = links_.find(key);
  if (found == links_.end()) return;
  if (const auto link = found->second.lock()) {
    link->close(link::CloseReason::superseded, "the link has a newer connection");
  }
}

}  // namespace talaria::runner
