#include "front/gateway/http/connections.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include <boost/asio/ip/tcp.hpp>

namespace talaria::front::gateway {

namespace asio = boost::asio;

std::string remote_address(const Connection::Socket& socket) {
  boost::system::error_code error;
  const auto endpoint = socket.remote_endpoint(error);
  if (error) return "";
  const auto* const address = reinterpret_cast<const sockaddr*>(endpoint.data());
  if (address->sa_family == AF_UNIX) return "unix";
  asio::ip::tcp::endpoint peer;
  if (endpoint.size() > peer.capacity()) return "";
  peer.resize(endpoint.size());
  std::memcpy(peer.data(), endpoint.data(), endpoint.size());
  return peer.address().to_string();
}

Connection::Connection(Connections& all, Socket its_socket)
    : socket(std::move(its_socket)),
      remote(remote_address(socket)),
      all_(all),
      timer_(all.executor_) {
  place_ = all.strangers_.insert(all.strangers_.end(), this);
  ++all.strangers_of_[remote];
}

Connection::~Connection() {
  hold(0);
  if (stranger_) trust();
  all_.trusted_.erase(place_);
  if (all_.size() == 0) all_.quiet_.notify_all();
}

void Connection::trust() {
  if (!std::exchange(stranger_, false)) return;
  all_.trusted_.splice(all_.trusted_.end(), all_.strangers_, place_);
  const auto count = all_.strangers_of_.find(remote);
  if (--count->second == 0) all_.strangers_of_.erase(count);
}

void Connection::allow(std::chrono::milliseconds time) {
  deadline_ = Clock::now() + time;
  // A timer that expires too early is set again; one that would expire too late is restarted.
  if (watching_ && watched_until_ <= deadline_) return;
  watch();
}

void Connection::watch() {
  watching_ = true;
  watched_until_ = std::min(deadline_, Clock::now() + std::chrono::hours(1));
  timer_.expires_at(watched_until_);
  timer_.async_wait([weak = std::weak_ptr<Alive>(alive_), this](boost::system::error_code error) {
    if (error || weak.expired()) return;
    watching_ = false;
    if (Clock::now() < deadline_) return watch();
    timed_out_ = true;
    boost::system::error_code ignored;
    socket.shutdown(Socket::shutdown_receive, ignored);
    if (!waits_for_answer) close();
  });
}

bool Connection::hold(std::size_t bytes) {
  const std::size_t counted = bytes > all_.limits_.small_request ? bytes : 0;
  all_.held_ = all_.held_ - held_ + counted;
  held_ = counted;
  return counted == 0 || all_.held_ <= all_.limits_.long_requests;
}

void Connection::close() {
  boost::system::error_code ignored;
  socket.close(ignored);
}

void Connection::watch_client(CancelToken gone) {
  gone_ = std::move(gone);
  socket.async_wait(Socket::wait_read,
                    [weak = std::weak_ptr<Alive>(alive_), this](boost::system::error_code error) {
                      if (error || weak.expired()) return;
                      pollfd state{.fd = socket.native_handle(), .events = POLLRDHUP};
                      if (::poll(&state, 1, 0) > 0) CancelToken(gone_).cancel();
                    });
}

void Connection::stop_watching() {
  gone_ = CancelToken();
  boost::system::error_code ignored;
  socket.cancel(ignored);
}

bool Connections::disconnect_stranger(const std::string* remote) {
  for (Connection* const one : strangers_) {
    const bool fits = !remote || one->remote == *remote;
    if (!fits || one->serving || !one->socket.is_open()) continue;
    one->close();
    return true;
  }
  return false;
}

bool Connections::make_room(const std::string& remote) {
  const auto count = strangers_of_.find(remote);
  if (count != strangers_of_.end() && count->second >= limits_.strangers_per_address &&
      !disconnect_stranger(&remote)) {
    return false;
  }
  return size() < limits_.connections || disconnect_stranger(nullptr);
}

void Connections::close_idle() {
  for (auto* list : {&strangers_, &trusted_}) {
    for (Connection* const one : *list) {
      if (one->idle) one->close();
    }
  }
}

void Connections::close_all() {
  for (auto* list : {&strangers_, &trusted_}) {
    for (Connection* const one : *list) one->close();
  }
}

asio::awaitable<void> Connections::wait_for_ends(Connection::Clock::time_point until) {
  while (size() != 0 && Connection::Clock::now() < until) co_await quiet_.wait_until(until);
}

}  // namespace talaria::front::gateway
