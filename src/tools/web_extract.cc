#include "tools/web_extract.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include <boost/json/parse.hpp>

#include "base/text.h"
#include "base/time_limit.h"
#include "http/url.h"
#include "json/json_text.h"
#include "policy/redact.h"
#include "tools/arguments.h"
#include "tools/web_failure.h"
#include "web/extract.h"
#include "web/limits.h"
#include "web/providers.h"

namespace talaria::tool {
namespace {

constexpr std::string_view kSecretInUrl =
    "Blocked: URL contains what appears to be an API key or token. Secrets must not be sent in "
    "URLs.";
// Escapes of escapes of escapes.
constexpr int kMostDecoding = 4;

// The first few. A text alone is a list of one, unless it is a list written as text.
std::vector<std::string> parse_urls(const json::object& arguments) {
  std::vector<std::string> urls;
  const json::value* given_urls = given(arguments, "urls");
  if (!given_urls) return urls;
  json::array list;
  if (given_urls->is_string()) {
    const std::string_view text = trim(given_urls->get_string());
    const ParsedJson parsed = parse_json(text);
    if (text.starts_with('[') && parsed.value && parsed.value->is_array()) {
      list = parsed.value->get_array();
    } else if (!text.empty()) {
      list.emplace_back(text);
    }
  } else if (given_urls->is_array()) {
    list = given_urls->get_array();
  }
  for (const json::value& item : list) {
    if (urls.size() >= web::kMaxWebPages) break;
    urls.emplace_back(item.is_string() ? std::string(trim(item.get_string())) : to_line(item));
  }
  return urls;
}

// In any of the forms in which it would reach somebody.
bool has_secret(const std::string& url) {
  std::vector<std::string> forms{url};
  if (const auto normal = http::parse_url(url)) forms.push_back(normal->text());
  for (std::string form : forms) {
    for (int i = 0; i < kMostDecoding; ++i) {
      if (policy::has_vendor_token(form)) return true;
      std::string decoded = http::percent_decode(form);
      if (decoded == form) break;
      form = std::move(decoded);
    }
  }
  return false;
}

json::object describe(const std::string& url, web::ExtractedPage page) {
  json::object item{{"url", sanitize_utf8(url)}, {"title", page.title}, {"content", page.content}};
  item["error"] = page.error.empty() ? json::value() : json::value(sanitize_utf8(page.error));
  if (!page.reason.empty()) item["reason"] = sanitize_utf8(page.reason);
  if (page.blocked) {
    item["blocked_by_policy"] = {{"host", page.blocked->host},
                                 {"rule", page.blocked->rule},
                                 {"source", page.blocked->source}};
  }
  return item;
}

}  // namespace

Task<json::object> web_extract_in(web::WebAccess& access, json::object arguments,
                                  CancelToken cancel) {
  const std::vector<std::string> urls = parse_urls(arguments);
  if (std::ranges::any_of(urls, has_secret)) co_return web_failure(kSecretInUrl);
  const Result<const web::Provider*> provider = web::extract_provider(access.config);
  if (!provider) co_return web_failure(provider.error().message());
  if (urls.empty()) co_return json::object{{"error", "Content was inaccessible or not found"}};

  auto extracting = web::extract_pages(access, **provider, urls);
  auto pages = co_await until_cancelled(cancel, std::move(extracting));
  if (!pages) co_return json::object{{"error", "Interrupted"}, {"success", false}};
  json::array results;
  for (std::size_t i = 0; i < urls.size(); ++i) {
    results.push_back(describe(urls[i], std::move((*pages)[i])));
  }
  json::object answer{{"results", std::move(results)}};
  json::array notices;
  for (const std::string& notice : access.policy.notices()) notices.emplace_back(notice);
  if (!notices.empty()) answer["notices"] = std::move(notices);
  co_return answer;
}

Task<json::object> web_extract(ToolCall call) {
  const Result<host::Config>& config = call.services.settings.config();
  if (!config) co_return web_failure(config.error().message());
  const host::WebConfig web = config->web;
  const web::WebsitePolicy policy(web.blocklist, config->home);
  http::SystemNetwork network;
  web::WebAccess access{web, policy, network};
  co_return co_await web_extract_in(access, std::move(call.arguments), call.cancel);
}

}  // namespace talaria::tool
