// Connections: the clients of an HttpServer. A client is a stranger until one of its requests was
// authenticated. When there is no room for a new connection, the stranger that has waited longest
// is disconnected; nobody who is being served is.
#pragma once

#include <chrono>
#include <cstddef>
#include <list>
#include <map>
#include <memory>
#include <string>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/steady_timer.hpp>

#include "base/cancel.h"
#include "base/event.h"

namespace talaria::front::gateway {

class Connections;

// One connection. Its timer closes it when a limit is exceeded.
class Connection {
 public:
  using Socket = boost::asio::generic::stream_protocol::socket;
  using Clock = std::chrono::steady_clock;

  Connection(Connections& all, Socket its_socket);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection();

  // Limits the time until the next call.
  void allow(std::chrono::milliseconds time);
  void allow_all() { deadline_ = Clock::time_point::max(); }
  bool timed_out() const { return timed_out_; }

  // Sets the size of the request so far. False: long requests exceed their limit.
  bool hold(std::size_t bytes);

  // A request of it was authenticated: it is known from now on.
  void trust();
  bool trusted() const { return !stranger_; }

  void close();

  // Cancels `gone` when the client closes its side. If it sends more instead, it is not watched
  // until that was served.
  void watch_client(CancelToken gone);
  void stop_watching();

  Socket socket;
  const std::string remote;       // address of the client; "unix": this machine
  bool idle = true;               // between two requests
  bool serving = false;           // a request is being answered
  bool waits_for_answer = false;  // then closing would lose the answer

 private:
  struct Alive {};

  void watch();

  Connections& all_;
  boost::asio::steady_timer timer_;
  Clock::time_point deadline_ = Clock::time_point::max();
  Clock::time_point watched_until_;
  CancelToken gone_;
  std::shared_ptr<Alive> alive_ = std::make_shared<Alive>();  // the timer callback may run later
  std::size_t held_ = 0;
  bool watching_ = false;
  bool timed_out_ = false;
  bool stranger_ = true;
  std::list<Connection*>::iterator place_;  // in the list of strangers, or of the others
};

struct ConnectionLimits {
  std::size_t connections = 4096;
  std::size_t strangers_per_address = 256;
  // Requests longer than `small_request` may take `long_requests` bytes of memory together.
  std::size_t small_request = 1u << 20;
  std::size_t long_requests = 256u << 20;
};

class Connections {
 public:
  Connections(boost::asio::any_io_executor executor, ConnectionLimits limits)
      : executor_(std::move(executor)), limits_(limits) {}

  // Whether a new connection from this address may be served. Disconnects a stranger if needed.
  bool make_room(const std::string& remote);
  std::size_t size() const { return strangers_.size() + trusted_.size(); }

  void close_idle();
  void close_all();
  // Until none is left.
  boost::asio::awaitable<void> wait_for_ends(Connection::Clock::time_point until);

 private:
  friend class Connection;

  bool disconnect_stranger(const std::string* remote);

  boost::asio::any_io_executor executor_;
  ConnectionLimits limits_;
  std::list<Connection*> strangers_;  // the oldest first
  std::list<Connection*> trusted_;
  std::map<std::string, std::size_t> strangers_of_;  // by address
  AsyncEvent quiet_;                                 // the last connection was closed
  std::size_t held_ = 0;                             // bytes of long requests
};

// The address of the other side of a socket; "unix" of a Unix socket.
std::string remote_address(const Connection::Socket& socket);

}  // namespace talaria::front::gateway
