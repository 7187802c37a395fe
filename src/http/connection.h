// HttpConnection: a connection to a server, over TLS if its URL says so. Requests go over it one
// after the other; one that fails or is given up leaves it of no use.
#pragma once

#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include <boost/asio/ip/tcp.hpp>

#include "base/result.h"
#include "base/task.h"
#include "http/http_message.h"
#include "http/tls_trust.h"

namespace talaria::http {

struct Transport;

class HttpConnection {
 public:
  // Called with what of the body of a good answer (2xx) has come, as it comes.
  using OnBody = std::function<void(std::string_view)>;

  // To the first of them that takes it.
  static Task<Result<std::unique_ptr<HttpConnection>>> open(
      Url url, std::vector<asio::ip::tcp::endpoint> endpoints, TlsTrust& trust);

  ~HttpConnection();
  HttpConnection(const HttpConnection&) = delete;
  HttpConnection& operator=(const HttpConnection&) = delete;

  // With `on_body` a good answer has no body of its own, and no limit. `*this` must outlive it.
  Task<Result<HttpResponse>> exchange(HttpRequest request, HttpLimits limits, OnBody on_body = {});

  // Another request may be tried: the last one succeeded, and the connection seems to be open.
  bool usable() const;
  // Some of the last answer came, so that its request was received.
  bool heard() const { return heard_; }

 private:
  explicit HttpConnection(std::unique_ptr<Transport> transport);

  template <class Stream>
  Task<Result<HttpResponse>> converse(Stream& stream, std::string text, HttpLimits limits,
                                      OnBody on_body);

  std::unique_ptr<Transport> transport_;
  bool open_ = true;
  bool heard_ = false;
};

}  // namespace talaria::http
