// Transport: a connection to a server, with TLS over it if its URL says so. For the few files that
// see OpenSSL, whose headers take long to compile.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include <boost/asio/ip/tcp.hpp>

#include "base/result.h"
#include "base/task.h"
#include "http/tls_context.h"
#include "http/url.h"

namespace talaria::http {

struct Transport {
  explicit Transport(const asio::any_io_executor& executor) : socket(executor) {}

  // To the first of them that takes it.
  static Task<Result<std::unique_ptr<Transport>>> open(
      Url url, std::vector<asio::ip::tcp::endpoint> endpoints, TlsTrust& trust);

  asio::ip::tcp::socket socket;
  std::optional<asio::ssl::stream<asio::ip::tcp::socket&>> tls;
};

}  // namespace talaria::http
