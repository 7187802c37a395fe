// HttpServer: HTTP/1.1 over TCP, TLS and Unix sockets. A handler answers the requests.
//
// A connection serves one request after the other. The handler sees the headers of a request first
// and may refuse it; the body of a refused request is not read. A slow connection is closed, and
// stop() waits for requests in progress. connections.h says who is disconnected when there is no
// room.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include <boost/asio/any_io_executor.hpp>

#include "base/result.h"
#include "base/task.h"
#include "front/gateway/http/connections.h"
#include "front/gateway/http/request_reader.h"
#include "front/gateway/http/served_message.h"

namespace talaria::front::gateway {

struct HttpServerLimits {
  RequestLimits request;
  ConnectionLimits connections;
  std::chrono::milliseconds idle{75'000};   // between two requests
  std::chrono::milliseconds head{10'000};   // to receive a request without its body
  std::chrono::milliseconds body{120'000};  // with it
  std::chrono::milliseconds write{30'000};  // to send each piece of an answer
  std::chrono::milliseconds last{10'000};   // for requests in progress at stop()
};

struct ListenAddress {
  std::string host;  // an IP address; empty: a Unix socket
  std::uint16_t port = 0;
  std::string path;
  bool loopback() const;
};

// "127.0.0.1:8642", "[::1]:0", "localhost:8642" or "unix:PATH".
Result<ListenAddress> parse_listen_address(const std::string& text);

struct TlsFiles {
  std::string certificate;  // the chain, PEM; empty: no TLS
  std::string key;
};

struct HttpTotals {
  std::uint64_t accepted = 0;
  std::uint64_t refused = 0;  // connections beyond the limit
  std::uint64_t open = 0;
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_out = 0;
};

class HttpServer {
 public:
  // Called with a request without its body, when its headers are here.
  using Handler = std::function<Reception(const ServedRequest& head)>;
  // Called for a request that could not be parsed.
  using Complaint = std::function<void(int status, const std::string& remote)>;

  HttpServer(const boost::asio::any_io_executor& executor, Handler handler, Complaint complaint,
             HttpServerLimits limits);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  // May be called again, for new connections. An error changes nothing.
  Result<void> use_tls(const TlsFiles& files);
  // Returns its URL: "http://127.0.0.1:8642".
  Result<std::string> listen(const ListenAddress& address);

  // Accepts no new requests, and waits for those in progress, but not longer than `last`.
  Task<void> stop();

  HttpTotals totals() const;

 private:
  class State;
  std::shared_ptr<State> state_;
};

}  // namespace talaria::front::gateway
