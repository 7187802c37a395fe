// ScriptConnections: the connections of a script whose socket can be reached from here. They are
// passed to us, so that its calls do not go through the runner (link/script_messages.h).
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include "base/task.h"
#include "os/unique_fd.h"

namespace talaria::environment {

class ScriptConnections : public std::enable_shared_from_this<ScriptConnections> {
 public:
  // What one sent; no bytes: it sends nothing more.
  using Heard = std::function<void(std::uint32_t connection, std::string_view bytes)>;

  // `runner`: connected to the socket of the script.
  ScriptConnections(asio::posix::stream_descriptor runner, Heard heard)
      : runner_(std::move(runner)), heard_(std::move(heard)) {}

  // Says the key, and takes connections until end(). What is sent is heard in between.
  Task<void> serve(std::string key);
  void end();

  bool has(std::uint32_t connection) const { return clients_.contains(connection); }
  // False: it does not read what it asked for, and is closed.
  bool give(std::uint32_t connection, std::string answer);
  // Once it has what was given.
  void close(std::uint32_t connection);

 private:
  using Socket = asio::local::stream_protocol::socket;

  struct Client {
    explicit Client(Socket its_socket) : socket(std::move(its_socket)) {}
    Socket socket;
    std::deque<std::string> to_write;
    bool writing = false;
    bool closes = false;
  };

  bool take_one();
  void take(std::uint32_t connection, os::UniqueFd socket);
  Task<void> read(std::uint32_t connection, std::shared_ptr<Client> client);
  Task<void> write_to(std::uint32_t connection, std::shared_ptr<Client> client);
  void forget(std::uint32_t connection);

  asio::posix::stream_descriptor runner_;
  Heard heard_;
  std::map<std::uint32_t, std::shared_ptr<Client>> clients_;
};

}  // namespace talaria::environment
