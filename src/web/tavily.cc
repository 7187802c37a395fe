#include "web/search_providers.h"

#include <algorithm>

#include <boost/json/serialize.hpp>

#include "web/limits.h"
#include "web/search_hits.h"

namespace talaria::web {
namespace {

constexpr std::string_view kTavily = "https://api.tavily.com";
constexpr std::size_t kMostTavilyResults = 20;

Task<Result<json::value>> ask(WebAccess& access, std::string_view path, json::object question) {
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

}  // namespace

Task<Result<std::vector<SearchHit>>> tavily_search(WebAccess& access, std::string query,
                                                   std::size_t limit) {
  json::object question{{"query", query}, {"max_results", std::min(limit, kMostTavilyResults)}};
  Result<json::value> answer = co_await ask(access, "/search", std::move(question));
  if (!answer) co_return fail(answer.error());
  co_return hits_of(array_field(*answer, "results"), "content", limit);
}

Task<std::vector<ExtractedPage>> tavily_extract(WebAccess& access, std::vector<http::Url> urls) {
  json::array list;
  for (const http::Url& url : urls) list.emplace_back(url.text());
  json::object question{{"urls", std::move(list)}, {"format", "markdown"}};
  const Result<json::value> answer = co_await ask(access, "/extract", std::move(question));
  std::vector<ExtractedPage> pages;
  for (const http::Url& url : urls) {
    pages.push_back(answer ? page_of(*answer, url.text())
                           : ExtractedPage{.error = answer.error().message()});
  }
  co_return pages;
}

}  // namespace talaria::web
