// HttpServer: HTTP/1.1 over TCP, TLS and Unix sockets, on the loop of its program. It knows nothing
// of what is asked: that is the handler's.
//
// A connection serves one request after the other, in the order they came. One that is slow is
// given up, one too many is told so, and stop() lets what is under way come to its end.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include <boost/asio/any_io_executor.hpp>

#include "base/result.h"
#include "base/task.h"
#include "front/gateway/http/request_reader.h"
#include "front/gateway/http/served_message.h"

namespace talaria::front::gateway {

struct HttpServerLimits {
  RequestLimits request;
  std::size_t connections = 1024;
  // Requests that are longer than the first have the second together: nobody knows who sends them
  // before all of it is here.
  std::size_t small_request = 1u << 20;
  std::size_t long_requests = 256u << 20;
  std::chrono::milliseconds idle{75'000};   // between two requests
  std::chrono::milliseconds head{10'000};   // for a request to arrive, without its body
  std::chrono::milliseconds body{120'000};  // with it
  std::chrono::milliseconds write{30'000};  // for each piece of an answer to be taken
  std::chrono::milliseconds last{10'000};   // for what is under way when it is to stop
};

struct ListenAddress {
  std::string host;  // an address of IP; empty: a Unix socket
  std::uint16_t port = 0;
  std::string path;
  bool loopback() const;
};

// "127.0.0.1:8642", "[::1]:0", "localhost:8642" or "unix:PATH".
Result<ListenAddress> parse_listen_address(const std::string& text);

struct TlsFiles {
  std::string certificate;  // with those it depends on, PEM; empty: no TLS
  std::string key;
};

struct HttpTotals {
  std::uint64_t accepted = 0;
  std::uint64_t refused = 0;  // connections that were too many
  std::uint64_t open = 0;
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_out = 0;
};

class HttpServer {
 public:
  using Handler = std::function<Task<ServedResponse>(ServedRequest)>;
  // A request that could not be read, for the log.
  using Complaint = std::function<void(int status, const std::string& remote)>;

  HttpServer(const boost::asio::any_io_executor& executor, Handler handler, Complaint complaint,
             HttpServerLimits limits);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  // Again: for those who come from now on. An error changes nothing.
  Result<void> use_tls(const TlsFiles& files);
  // Where it can be reached: "http://127.0.0.1:8642".
  Result<std::string> listen(const ListenAddress& address);

  // Takes nothing new, and returns when what is under way is over or has taken too long.
  Task<void> stop();

  const HttpTotals& totals() const;

 private:
  class State;
  std::shared_ptr<State> state_;
};

}  // namespace talaria::front::gateway
