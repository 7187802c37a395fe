// Any text: a URL that is accepted has a form that is accepted again and stays as it is, with
// nothing in it that could end a line or a host.

#include <algorithm>
#include <string>

#include "fuzz/input.h"
#include "http/url.h"

namespace talaria {
namespace {

void check_normal(const http::Url& url) {
  const std::string text = url.text();
  require(std::ranges::all_of(text, [](char c) { return c > ' ' && c < 127; }));
  require(url.host.find_first_of("/?#@\\") == std::string::npos);
  require(url.target.starts_with('/'));
  const auto again = http::parse_url(text);
  require(again && again->host == url.host && again->port == url.port && again->text() == text);
}

void check(Input input) {
  static const http::Url kBase = *http::parse_url("https://user@example.com:8443/a/b?c");
  if (const auto url = http::parse_url(input.rest())) check_normal(*url);
  if (const auto url = http::parse_url("http://" + std::string(input.rest()))) check_normal(*url);
  if (const auto url = http::resolve_url(kBase, input.rest())) check_normal(*url);
}

}  // namespace
}  // namespace talaria

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  talaria::check(talaria::Input(data, size));
  return 0;
}
