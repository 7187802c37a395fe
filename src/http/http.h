// HttpClient: one request over a connection of its own, and its answer. It follows no redirects,
// asks nobody for addresses, and takes no more than its limits say, whatever the other side sends.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/task.h"
#include "http/network.h"
#include "http/url.h"

namespace talaria {

// What an answer may cost. Whoever asks says it: a page is not an archive.
struct HttpLimits {
  std::chrono::milliseconds time{0};  // for everything, from the first name to the end
  std::size_t body_bytes = 0;         // as they are sent
  std::size_t decoded_bytes = 0;
};

struct HttpRequest {
  std::string method = "GET";
  Url url;
  std::vector<std::pair<std::string, std::string>> headers = {};
  std::string body = {};
};

struct HttpResponse {
  unsigned status = 0;
  std::string reason;
  std::string content_type;
  std::string location;
  std::string body;  // decoded
};

class HttpClient {
 public:
  // `ca_file`: who is trusted beside the system's authorities, for tests.
  HttpClient(Network& network, HttpLimits limits, std::string ca_file = {});
  ~HttpClient();

  const HttpLimits& limits() const { return limits_; }

  // To one of these addresses, the first that takes the connection. The caller sets the time limit
  // (base/time_limit.h): it may be for more than one exchange.
  Task<Result<HttpResponse>> exchange(HttpRequest request, Addresses where);

 private:
  struct Tls;

  Task<Result<HttpResponse>> exchange_over(asio::ip::tcp::socket& socket, HttpRequest request);
  Result<Tls*> tls();

  Network& network_;
  HttpLimits limits_;
  std::string ca_file_;
  std::unique_ptr<Tls> tls_;  // made for the first https
};

// "HTTP 404 Not Found"
std::string status_line(const HttpResponse& response);

}  // namespace talaria
