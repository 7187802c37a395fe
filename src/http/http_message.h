// What is asked of a server, and what it answers.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "http/url.h"

namespace talaria::http {

// What an answer may cost, as the caller decides.
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
  std::string agent = {};  // user agent; empty: own_agent()
  bool keep = false;       // the connection may be used again
};

struct HttpResponse {
  unsigned status = 0;
  std::string reason;
  std::string content_type;
  std::string location;
  std::string retry_after;
  std::string body;  // decoded
};

// It may be a header's name or value.
bool fits_header(std::string_view text);

// The default user agent.
std::string own_agent();

// As it is sent. An error: a header that is none.
Result<std::string> request_text(const HttpRequest& request);

// "HTTP 404 Not Found"
std::string status_line(const HttpResponse& response);

}  // namespace talaria::http
