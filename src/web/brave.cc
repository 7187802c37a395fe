#include "web/search_providers.h"

#include <algorithm>

#include "web/limits.h"
#include "web/search_hits.h"

namespace talaria::web {
namespace {

constexpr std::string_view kBrave = "https://api.search.brave.com/res/v1/web/search";
constexpr std::size_t kMostBraveResults = 20;

}  // namespace

Task<Result<std::vector<SearchHit>>> brave_search(WebAccess& access, std::string query,
                                                  std::size_t limit) {
  Result<http::Url> url = http::parse_url(kBrave);
  if (!url) co_return fail(url.error());
  url->target += "?q=" + http::percent_encode(query) +
                 "&count=" + std::to_string(std::min(limit, kMostBraveResults));
  http::HttpRequest request{.url = std::move(*url)};
  request.headers.emplace_back("X-Subscription-Token", access.config.brave_key.view());
  Result<json::value> answer =
      co_await ask_service(access, "brave-free", std::move(request), kWebSearchTime);
  if (!answer) co_return fail(answer.error());
  const json::object* object = answer->if_object();
  const json::value* web = object ? object->if_contains("web") : nullptr;
  co_return hits_of(web ? array_field(*web, "results") : nullptr, "description", limit);
}

}  // namespace talaria::web
