// HttpChannel: requests to one server, over connections that stay open between them. The server may
// have any address, because the operator configured it.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/task.h"
#include "http/connection.h"
#include "http/http_message.h"
#include "http/network.h"
#include "http/tls_trust.h"

namespace talaria::http {

class HttpChannel {
 public:
  struct Options {
    std::chrono::milliseconds connect{10'000};  // until there is a connection
    std::chrono::milliseconds answer{10'000};  // from then until all of the answer is there; 0: any
    // It may be sent again if an idle connection breaks before the answer begins: the
    // server may have got it, or may have closed that connection long ago.
    bool repeatable = false;
    HttpConnection::OnBody on_body = {};
    // Called when there is a connection: from here on the server may have got it.
    std::function<void()> on_sending = {};
  };

  explicit HttpChannel(HttpLimits limits, std::string ca_file = {})
      : limits_(limits), trust_(std::move(ca_file)) {}

  // All requests have to be for one server. Several at a time have a connection each. An error of
  // kind timed_out: no answer in time. `*this` must outlive it.
  Task<Result<HttpResponse>> ask(HttpRequest request, Options options);

 private:
  using Connection = std::unique_ptr<HttpConnection>;

  Connection take_idle();
  void keep(Connection connection);
  Task<Result<Connection>> connect(Url url);
  Task<Result<HttpResponse>> ask_over(HttpConnection& connection, HttpRequest request,
                                      Options options);

  HttpLimits limits_;
  TlsTrust trust_;
  SystemNetwork network_;
  std::vector<Connection> idle_;
};

}  // namespace talaria::http
