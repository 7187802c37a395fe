#include "web/web_access.h"

#include <algorithm>

#include "base/text.h"
#include "base/time_limit.h"
#include "json/json_text.h"
#include "web/permitted_addresses.h"

namespace talaria::web {
namespace {

Task<Result<http::HttpResponse>> exchange(WebAccess& access, http::HttpRequest request) {
  Result<http::Addresses> where = co_await permitted_addresses(access.network, request.url, true);
  if (!where) co_return fail(ErrorKind::unavailable, where.error().message());
  http::HttpClient client(access.network, access.limits, access.ca_file);
  co_return co_await client.exchange(std::move(request), std::move(*where));
}

}  // namespace

Result<http::Url> service_url(std::string_view address, std::string_view setting,
                              std::string_view path) {
  Result<http::Url> url = http::parse_url(address);
  if (!url)
    return fail(ErrorKind::bad_request, std::string(setting) + ": " + url.error().message());
  url->target.resize(std::min(url->target.find('?'), url->target.size()));
  while (url->target.ends_with('/')) url->target.pop_back();
  url->target += path;
  return url;
}

Task<Result<json::value>> ask_service(WebAccess& access, std::string_view name,
                                      http::HttpRequest request, std::chrono::milliseconds time) {
  const std::string who(name);
  request.headers.emplace_back("Accept", "application/json");
  auto response = co_await within(time, exchange(access, std::move(request)));
  if (!response) {
    co_return fail(ErrorKind::timed_out, who + ": no answer within " + in_seconds(time) + " s");
  }
  if (!*response)
    co_return fail(response->error().kind(), who + ": " + response->error().message());
  if ((*response)->status != 200) {
    co_return fail(ErrorKind::unavailable, who + ": " + http::status_line(**response));
  }
  ParsedJson parsed = parse_json((*response)->body);
  if (!parsed.value) {
    co_return fail(ErrorKind::unavailable, who + ": the answer is not JSON" +
                                               (name == "searxng" ? " (formats: [json] has to be"
                                                                    " allowed in its settings.yml)"
                                                                  : ""));
  }
  co_return std::move(*parsed.value);
}

}  // namespace talaria::web
