#include "environment/script_connections.h"

#include <sys/socket.h>

#include <array>
#include <span>
#include <utility>

#include <boost/asio/write.hpp>

#include "base/write_queue.h"
#include "link/script_messages.h"
#include "os/channel.h"

namespace talaria::environment {
namespace {

constexpr std::size_t kReadPiece = 64u << 10;

// The runner may be one of a container: what it passes may be anything.
bool is_local_stream(int fd) {
  int domain = 0;
  int type = 0;
  socklen_t size = sizeof domain;
  return ::getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &size) == 0 && domain == AF_UNIX &&
         ::getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type == SOCK_STREAM;
}

}  // namespace

Task<void> ScriptConnections::serve(std::string key) {
  const auto self = shared_from_this();
  const auto [unsaid, size] = co_await asio::async_write(runner_, asio::buffer(key), as_values);
  if (unsaid) co_return;
  for (;;) {
    const auto [error] =
        co_await runner_.async_wait(asio::posix::stream_descriptor::wait_read, as_values);
    if (error || !take_one()) co_return;
  }
}

// False: there are no more.
bool ScriptConnections::take_one() {
  std::array<char, link::kTakenNumber> number{};
  auto received =
      os::receive_message(runner_.native_handle(), std::as_writable_bytes(std::span(number)));
  if (!received) return false;
  if (!*received) return true;
  if ((*received)->size != number.size()) return false;
  const std::uint32_t connection = link::read_taken({number.data(), number.size()});
  const bool usable = (*received)->fds.size() == 1 && clients_.size() < link::kMostTaken &&
                      !clients_.contains(connection) &&
                      is_local_stream((*received)->fds.front().get());
  if (usable) {
    take(connection, std::move((*received)->fds.front()));
  } else {
    forget(connection);
  }
  return true;
}

void ScriptConnections::take(std::uint32_t connection, os::UniqueFd socket) {
  const auto client = std::make_shared<Client>(
      Socket(runner_.get_executor(), asio::local::stream_protocol(), socket.release()));
  clients_.emplace(connection, client);
  spawn(runner_.get_executor(), read(connection, client));
}

Task<void> ScriptConnections::read(std::uint32_t connection, std::shared_ptr<Client> client) {
  const auto self = shared_from_this();
  std::string piece(kReadPiece, '\0');
  for (;;) {
    const auto [error, size] =
        co_await client->socket.async_read_some(asio::buffer(piece), as_values);
    if (!client->socket.is_open()) co_return;
    heard_(connection, std::string_view(piece).substr(0, error ? 0 : size));
    if (error) co_return;
  }
}

bool ScriptConnections::give(std::uint32_t connection, std::string answer) {
  const auto found = clients_.find(connection);
  if (found == clients_.end()) return false;
  const std::shared_ptr<Client> client = found->second;
  if (client->to_write.size() >= link::kMostUnread) {
    forget(connection);
    return false;
  }
  client->to_write.push_back(std::move(answer));
  if (!std::exchange(client->writing, true)) {
    spawn(runner_.get_executor(), write_to(connection, client));
  }
  return true;
}

Task<void> ScriptConnections::write_to(std::uint32_t connection, std::shared_ptr<Client> client) {
  const auto self = shared_from_this();
  co_await write_queue(client->socket, client->to_write);
  client->writing = false;
  if (client->closes) forget(connection);
}

void ScriptConnections::close(std::uint32_t connection) {
  const auto found = clients_.find(connection);
  if (found == clients_.end()) return;
  found->second->closes = true;
  if (!found->second->writing) forget(connection);
}

void ScriptConnections::forget(std::uint32_t connection) {
  if (const auto found = clients_.find(connection); found != clients_.end()) {
    boost::system::error_code ignored;
    found->second->socket.shutdown(Socket::shutdown_both, ignored);  // the runner has it, too
    found->second->socket.close(ignored);
    clients_.erase(found);
  }
  // If there is no room for it, the runner keeps its descriptor until the script ends.
  const std::string number = link::encode_taken(connection);
  ::send(runner_.native_handle(), number.data(), number.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
}

void ScriptConnections::end() {
  boost::system::error_code ignored;
  runner_.close(ignored);
  for (const auto& [connection, client] : std::exchange(clients_, {})) {
    client->socket.close(ignored);
  }
}

}  // namespace talaria::environment
