#include "web/extract.h"

#include <utility>

#include "base/run_all.h"
#include "base/text.h"
#include "base/time_limit.h"
#include "web/builtin.h"
#include "web/limits.h"
#include "web/page_text.h"
#include "web/permitted_addresses.h"

namespace talaria::web {
namespace {

// One that somebody else will connect to: that we would is all that can be checked.
Task<void> check_address(WebAccess& access, http::Url url, ExtractedPage& page) {
  auto checked = co_await within(
      kWebSearchTime,
      permitted_addresses(access.network, std::move(url), access.config.allow_private_urls));
  if (!checked) {
    page = blocked_address("its host was not found in time");
  } else if (!*checked) {
    page = blocked_address(checked->error().message());
  }
}

// A page that says what is wrong with the URL itself, or an empty one.
ExtractedPage check_url(const WebAccess& access, const std::string& text, Result<http::Url>& url) {
  if (auto site = access.policy.check(text)) return blocked_site(std::move(*site));
  url = http::parse_url(text);
  if (!url) return blocked_address(url.error().message());
  if (!url->userinfo.empty()) return {.error = "a URL with a user name or password is not fetched"};
  return {};
}

void finish(ExtractedPage& page) {
  page.title = first_chars(sanitize_utf8(page.title), kMaxWebTitleChars);
  page.content = shown_page(without_inline_images(sanitize_utf8(page.content)));
}

}  // namespace

Task<std::vector<ExtractedPage>> extract_pages(WebAccess& access, const Provider& provider,
                                               std::vector<std::string> urls) {
  std::vector<ExtractedPage> pages(urls.size());
  std::vector<Result<http::Url>> parsed(urls.size());
  std::vector<Job> checks;
  for (std::size_t i = 0; i < urls.size(); ++i) {
    pages[i] = check_url(access, urls[i], parsed[i]);
    if (!pages[i].error.empty() || provider.checks_addresses) continue;
    checks.emplace_back([&, i] { return check_address(access, *parsed[i], pages[i]); });
  }
  const std::size_t count = checks.size();
  co_await run_all(std::move(checks), count);

  std::vector<std::size_t> places;
  std::vector<http::Url> wanted;
  for (std::size_t i = 0; i < urls.size(); ++i) {
    if (!pages[i].error.empty()) continue;
    places.push_back(i);
    wanted.push_back(*parsed[i]);
  }
  if (wanted.empty()) co_return pages;
  std::vector<ExtractedPage> got = co_await provider.extract(access, std::move(wanted));
  for (std::size_t i = 0; i < places.size(); ++i) {
    finish(got[i]);
    pages[places[i]] = std::move(got[i]);
  }
  co_return pages;
}

}  // namespace talaria::web
