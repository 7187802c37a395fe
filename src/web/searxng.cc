#include "web/search_providers.h"

#include <functional>
#include <map>

#include "web/limits.h"
#include "web/search_hits.h"

namespace talaria::web {
namespace {

double score_of(const json::value& result) {
  const json::object* object = result.if_object();
  const json::value* score = object ? object->if_contains("score") : nullptr;
  return score && score->is_number() ? score->to_number<double>() : 0;
}

}  // namespace

Task<Result<std::vector<SearchHit>>> searxng_search(WebAccess& access, std::string query,
                                                    std::size_t limit) {
  Result<http::Url> url = service_url(access.config.searxng_url, "SEARXNG_URL", "/search");
  if (!url) co_return fail(url.error());
  url->target += "?q=" + http::percent_encode(query) + "&format=json&pageno=1";
  http::HttpRequest request{.url = std::move(*url)};
  Result<json::value> answer =
      co_await ask_service(access, "searxng", std::move(request), kWebSearchTime);
  if (!answer) co_return fail(answer.error());
  const json::array* results = array_field(*answer, "results");
  if (!results) co_return hits_of(nullptr, "", 0);
  std::multimap<double, const json::value*, std::greater<>> by_score;
  for (const json::value& result : *results) by_score.emplace(score_of(result), &result);
  json::array sorted;
  for (const auto& [score, result] : by_score) sorted.push_back(*result);
  co_return hits_of(&sorted, "content", limit);
}

}  // namespace talaria::web
