#include "web/builtin.h"

#include <expected>
#include <optional>
#include <utility>

#include "base/off_loop.h"
#include "base/run_all.h"
#include "base/text.h"
#include "base/time_limit.h"
#include "web/limits.h"
#include "web/page_content.h"
#include "web/permitted_addresses.h"

namespace talaria::web {
namespace {

// The answer at the end of all redirects, and where it was; or a page that says why not.
struct Fetched {
  http::Url url;
  http::HttpResponse response;
};
using Fetch = std::expected<Fetched, ExtractedPage>;

std::unexpected<ExtractedPage> no_page(std::string error) {
  return std::unexpected(ExtractedPage{.error = std::move(error)});
}

bool is_redirect(unsigned status) {
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

Task<Fetch> fetch(WebAccess& access, http::HttpClient& client, http::Url url) {
  for (int hop = 0; hop <= kMaxWebRedirects; ++hop) {
    if (auto site = access.policy.check_host(url.host)) {
      co_return std::unexpected(blocked_site(std::move(*site)));
    }
    auto where =
        co_await permitted_addresses(access.network, url, access.config.allow_private_urls);
    if (!where) co_return std::unexpected(blocked_address(where.error().message()));
    http::HttpRequest request{.url = url};
    request.headers.emplace_back(
        "Accept", "text/html,application/xhtml+xml,text/markdown,text/plain;q=0.9,*/*;q=0.5");
    auto response = co_await client.exchange(std::move(request), std::move(*where));
    if (!response) co_return no_page(response.error().message());
    if (!is_redirect(response->status) || response->location.empty()) {
      co_return Fetched{std::move(url), std::move(*response)};
    }
    auto next = http::resolve_url(url, response->location);
    if (!next) co_return std::unexpected(blocked_address(next.error().message()));
    url = std::move(*next);
    url.userinfo.clear();
  }
  co_return no_page("more than " + std::to_string(kMaxWebRedirects) + " redirects");
}

ExtractedPage made_of(const Fetched& fetched) {
  if (fetched.response.status / 100 != 2) {
    return {.error = http::status_line(fetched.response)};
  }
  Result<MarkdownPage> page =
      page_content(fetched.response.body, fetched.response.content_type, fetched.url);
  if (!page) return {.error = page.error().message()};
  return {.title = std::move(page->title), .content = std::move(page->content)};
}

Task<void> extract_one(WebAccess& access, http::HttpClient& client, http::Url url,
                       ExtractedPage& page) {
  auto fetched = co_await within(access.limits.time, fetch(access, client, std::move(url)));
  if (!fetched) {
    page.error = "no answer within " + in_seconds(access.limits.time) + " s";
  } else if (!*fetched) {
    page = std::move(fetched->error());
  } else {
    page = co_await off_loop([&] { return made_of(**fetched); });
  }
}

}  // namespace

ExtractedPage blocked_address(std::string reason) {
  return {.error = std::string(kBlockedAddress), .reason = std::move(reason)};
}

ExtractedPage blocked_site(BlockedSite site) {
  return {.error = "Blocked by website policy: '" + site.host + "' matched rule '" + site.rule +
                   "' from " + site.source,
          .blocked = std::move(site)};
}

Task<std::vector<ExtractedPage>> builtin_extract(WebAccess& access, std::vector<http::Url> urls) {
  http::HttpClient client(access.network, access.limits, access.ca_file);
  std::vector<ExtractedPage> pages(urls.size());
  std::vector<Job> jobs;
  for (std::size_t i = 0; i < urls.size(); ++i) {
    jobs.emplace_back([&, i] { return extract_one(access, client, urls[i], pages[i]); });
  }
  co_await run_all(std::move(jobs), urls.size());
  co_return pages;
}

}  // namespace talaria::web
