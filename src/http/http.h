// HttpClient: one request over a connection of its own, and its answer. It follows no redirects,
// resolves no names, and takes no more than its limits say, whatever the other side sends.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "base/task.h"
#include "http/http_message.h"
#include "http/network.h"
#include "http/tls_trust.h"

namespace talaria::http {

class HttpClient {
 public:
  // `ca_file`: see TlsTrust.
  HttpClient(Network& network, HttpLimits limits, std::string ca_file = {})
      : network_(network), limits_(limits), trust_(std::move(ca_file)) {}

  const HttpLimits& limits() const { return limits_; }

  // To one of these addresses, the first that takes the connection. The caller sets the time limit
  // (base/time_limit.h): it may be for more than one exchange.
  Task<Result<HttpResponse>> exchange(HttpRequest request, Addresses where);

 private:
  Network& network_;
  HttpLimits limits_;
  TlsTrust trust_;
};

}  // namespace talaria::http
