#include "tools/web_search.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "base/text.h"
#include "base/time_limit.h"
#include "tools/arguments.h"
#include "tools/web_failure.h"
#include "web/limits.h"
#include "web/providers.h"

namespace talaria::tool {
namespace {

using Hits = Result<std::vector<web::SearchHit>>;

std::optional<double> number_of(const json::value& value) {
  if (value.is_number()) return value.to_number<double>();
  if (value.is_bool()) return value.get_bool() ? 1 : 0;
  if (!value.is_string()) return std::nullopt;
  const std::string_view text = trim(value.get_string());
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::string shown(const std::string& text, std::size_t most_chars) {
  return std::string(first_chars(sanitize_utf8(text), most_chars));
}

json::object describe(const std::vector<web::SearchHit>& hits) {
  json::array web;
  for (const web::SearchHit& hit : hits) {
    web.push_back({{"title", shown(hit.title, web::kMaxWebTitleChars)},
                   {"url", sanitize_utf8(hit.url)},
                   {"description", shown(hit.description, web::kMaxWebDescriptionChars)},
                   {"position", web.size() + 1}});
  }
  return {{"success", true}, {"data", {{"web", std::move(web)}}}};
}

}  // namespace

std::size_t search_limit(const json::object& arguments) {
  const json::value* limit = given(arguments, "limit");
  const std::optional<double> number = limit ? number_of(*limit) : std::nullopt;
  if (!number || std::isnan(*number)) return web::kDefaultWebResults;
  return static_cast<std::size_t>(
      std::clamp(*number, 1.0, static_cast<double>(web::kMaxWebResults)));
}

Task<json::object> web_search_in(web::WebAccess& access, json::object arguments,
                                 CancelToken cancel) {
  const json::value* query = given(arguments, "query");
  if (!query || !query->is_string() || trim(query->get_string()).empty()) {
    co_return web_failure(
        "web_search: missing required field 'query'. Pass the text to search for.");
  }
  const Result<const web::Provider*> provider = web::search_provider(access.config);
  if (!provider) co_return web_failure(provider.error().message());
  auto search =
      (*provider)->search(access, std::string(query->get_string()), search_limit(arguments));
  const std::optional<Hits> hits = co_await until_cancelled(cancel, std::move(search));
  if (!hits) co_return json::object{{"error", "Interrupted"}, {"success", false}};
  if (!*hits) co_return web_failure(hits->error().message());
  co_return describe(**hits);
}

bool can_search_web(const host::Config& config) {
  return web::search_provider(config.web).has_value();
}

Task<json::object> web_search(ToolCall call) {
  const Result<host::Config>& config = call.services.settings.config();
  if (!config) co_return web_failure(config.error().message());
  const host::WebConfig web = config->web;
  const web::WebsitePolicy policy;  // of pages, not of what is said about them
  http::SystemNetwork network;
  web::WebAccess access{web, policy, network};
  co_return co_await web_search_in(access, std::move(call.arguments), call.cancel);
}

}  // namespace talaria::tool
