#include "web/search_providers.h"

#include <algorithm>
#include <functional>
#include <map>

#include <boost/json/serialize.hpp>

#include "json/fields.h"
#include "web/limits.h"

namespace talaria::web {
namespace {

// The results that have a URL, at most `limit`. `description`: the member that has their text.
std::vector<SearchHit> hits_of(const json::array* results, std::string_view description,
                               std::size_t limit) {
  std::vector<SearchHit> hits;
  if (!results) return hits;
  for (const json::value& result : *results) {
    const json::object* object = result.if_object();
    if (hits.size() >= limit) break;
    if (!object) continue;
    SearchHit hit{.title = text_field(*object, "title"),
                  .url = text_field(*object, "url"),
                  .description = text_field(*object, description)};
    if (!hit.url.empty()) hits.push_back(std::move(hit));
  }
  return hits;
}

constexpr std::string_view kBrave = "https://api.search.brave.com/res/v1/web/search";
constexpr std::size_t kMostBraveResults = 20;

double score_of(const json::value& result) {
  const json::object* object = result.if_object();
  const json::value* score = object ? object->if_contains("score") : nullptr;
  return score && score->is_number() ? score->to_number<double>() : 0;
}

constexpr std::string_view kTavily = "https://api.tavily.com";
constexpr std::size_t kMostTavilyResults = 20;

Task<Result<json::value>> ask_tavily(WebAccess& access, std::string_view path,
                                     json::object question) {
  const std::string& own = access.config.tavily_url;
  Result<http::Url> url = service_url(own.empty() ? kTavily : own, "TAVILY_BASE_URL", path);
  if (!url) co_return fail(url.error());
  http::HttpRequest request{
      .method = "POST", .url = std::move(*url), .body = json::serialize(question)};
  request.headers.emplace_back("Content-Type", "application/json");
  request.headers.emplace_back("Authorization",
                               "Bearer " + std::string(access.config.tavily_key.view()));
  co_return co_await ask_service(access, "tavily", std::move(request), kWebServiceTime);
}

const json::object* find_url(const json::array* list, std::string_view url) {
  if (!list) return nullptr;
  for (const json::value& item : *list) {
    const json::object* object = item.if_object();
    if (object && text_field(*object, "url") == url) return object;
  }
  return nullptr;
}

ExtractedPage page_of(const json::value& answer, const std::string& url) {
  if (const json::object* page = find_url(array_field(answer, "results"), url)) {
    return {.title = text_field(*page, "title"), .content = text_field(*page, "raw_content")};
  }
  const json::object* failed = find_url(array_field(answer, "failed_results"), url);
  const std::string error = failed ? text_field(*failed, "error") : "";
  return {.error = error.empty() ? "tavily: no content for this URL" : "tavily: " + error};
}

// "google (timeout), bing (CAPTCHA)": a list of engine and reason.
std::string failed_engines(const json::value& answer) {
  std::string failed;
  const json::array* engines = array_field(answer, "unresponsive_engines");
  for (const json::value& engine : engines ? *engines : json::array()) {
    const json::array* pair = engine.if_array();
    if (!pair || pair->empty() || !pair->front().is_string()) continue;
    failed += (failed.empty() ? "" : ", ") + std::string(pair->front().get_string());
    if (pair->size() > 1 && pair->at(1).is_string()) {
      failed += " (" + std::string(pair->at(1).get_string()) + ")";
    }
  }
  return failed;
}

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
  if (!results || results->empty()) {
    if (const auto failed = failed_engines(*answer); !failed.empty()) {
      co_return fail(ErrorKind::unavailable,
                     "searxng: no result, because engines of this instance failed: " + failed +
                         ". Try again later, or change the engines in its settings.yml");
    }
  }
  if (!results) co_return hits_of(nullptr, "", 0);
  std::multimap<double, const json::value*, std::greater<>> by_score;
  for (const json::value& result : *results) by_score.emplace(score_of(result), &result);
  json::array sorted;
  for (const auto& [score, result] : by_score) sorted.push_back(*result);
  co_return hits_of(&sorted, "content", limit);
}

Task<Result<std::vector<SearchHit>>> tavily_search(WebAccess& access, std::string query,
                                                   std::size_t limit) {
  json::object question{{"query", query}, {"max_results", std::min(limit, kMostTavilyResults)}};
  Result<json::value> answer = co_await ask_tavily(access, "/search", std::move(question));
  if (!answer) co_return fail(answer.error());
  co_return hits_of(array_field(*answer, "results"), "content", limit);
}

Task<std::vector<ExtractedPage>> tavily_extract(WebAccess& access, std::vector<http::Url> urls) {
  json::array list;
  for (const http::Url& url : urls) list.emplace_back(url.text());
  json::object question{{"urls", std::move(list)}, {"format", "markdown"}};
  const Result<json::value> answer = co_await ask_tavily(access, "/extract", std::move(question));
  std::vector<ExtractedPage> pages;
  for (const http::Url& url : urls) {
    pages.push_back(answer ? page_of(*answer, url.text())
                           : ExtractedPage{.error = answer.error().message()});
  }
  co_return pages;
}

}  // namespace talaria::web
