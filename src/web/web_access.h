// WebAccess: what a call needs to reach the web.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include <boost/json/value.hpp>

#include "base/result.h"
#include "base/task.h"
#include "host/config/web_config.h"
#include "http/http.h"
#include "http/network.h"
#include "http/url.h"
#include "web/limits.h"
#include "web/website_policy.h"

namespace talaria::web {

namespace json = boost::json;

struct WebAccess {
  const host::WebConfig& config;
  const WebsitePolicy& policy;
  http::Network& network;
  http::HttpLimits limits = {
      .time = kWebFetchTime, .body_bytes = kMaxWebBodyBytes, .decoded_bytes = kMaxWebDecodedBytes};
  std::string ca_file = {};  // see HttpClient
};

// `path` below the address of a service the operator wrote into `setting`.
Result<http::Url> service_url(std::string_view address, std::string_view setting,
                              std::string_view path);

// Asks a service of the configuration, which answers with JSON. `name` is for messages. Redirects
// are not followed: the request may contain a key.
Task<Result<json::value>> ask_service(WebAccess& access, std::string_view name,
                                      http::HttpRequest request, std::chrono::milliseconds time);

}  // namespace talaria::web
