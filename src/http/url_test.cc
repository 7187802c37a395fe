#include "http/url.h"

#include <string>

#include <gtest/gtest.h>

namespace talaria::http {
namespace {

std::string normal(std::string_view text) {
  const auto url = parse_url(text);
  return url ? url->text() : "refused";
}

TEST(UrlTest, HasOneNormalForm) {
  const struct {
    const char* text;
    const char* expected;
  } cases[] = {
      {"http://example.com", "http://example.com/"},
      {"  HTTPS://Example.COM:443/A?b#c ", "https://example.com/A?b"},
      {"http://example.com.:8080/", "http://example.com:8080/"},
      {"http://bücher.example/ä?ö=ü", "http://xn--bcher-kva.example/%C3%A4?%C3%B6=%C3%BC"},
      {"http://BÜCHER.example/", "http://xn--bcher-kva.example/"},
      {"http://e.com/a%20b c%zz", "http://e.com/a%20b%20c%25zz"},
      {"http://e.com/a/./b/../c", "http://e.com/a/c"},
      {"http://e.com/../..", "http://e.com/"},
      {"http://e.com/a/%2e%2E/b", "http://e.com/b"},
      {"http://e.com?q=a/../b", "http://e.com/?q=a/../b"},
      {"http://[::FFFF:10.0.0.1]/", "http://[::ffff:10.0.0.1]/"},
      {"http://user:pw@e.com/", "http://e.com/"},
      {"http://e.com/\"<>", "http://e.com/%22%3C%3E"},
  };
  for (const auto& c : cases) EXPECT_EQ(normal(c.text), c.expected) << c.text;
}

TEST(UrlTest, ReadsAddressesAsTheSystemWould) {
  for (const char* text :
       {"http://2130706433/", "http://0x7f000001/", "http://0177.0.0.1/", "http://127.1/",
        "http://127.0.0.1./", "http://0x7f.0.0.0x1/", "http://127%2e0%2E0.1/",
        "http://１２７.0.0.1/", "http://127。0。0。1/", "http://a@b@127.0.0.1/"}) {
    EXPECT_EQ(normal(text), "http://127.0.0.1/") << text;
  }
}

TEST(UrlTest, RefusesWhatParsersDisagreeAbout) {
  for (const char* text : {"",
                           "example.com",
                           "//example.com",
                           "ftp://x/",
                           "file:///etc/passwd",
                           "javascript:alert(1)",
                           "http:",
                           "http:/example.com",
                           "http:///x",
                           "http://",
                           "http://e.com:0/",
                           "http://e.com:99999/",
                           "http://e.com:8x/",
                           "http://good.com\\@127.0.0.1/",
                           "http://a b/",
                           "http://a\tb/",
                           "http://e.com\n/",
                           "http://[::1",
                           "http://[fe80::1%25eth0]/",
                           "http://[::1]x/",
                           "http://1.2.3.256/",
                           "http://1.2.3.4.5/",
                           "http://a..b/",
                           "http://.a/",
                           "http://a%00b/",
                           "http://a%2fb/",
                           "http://0x/x y:z@"}) {
    EXPECT_EQ(normal(text), "refused") << text;
  }
  EXPECT_EQ(normal("http://" + std::string(64, 'a') + ".com/"), "refused");
  EXPECT_EQ(normal("http://e.com/" + std::string(20'000, 'a')), "refused");
}

TEST(UrlTest, ResolvesWhatARedirectSays) {
  const Url base = *parse_url("https://u:p@e.com:8443/a/b?c");
  const struct {
    const char* reference;
    const char* expected;
  } cases[] = {
      {"/x", "https://e.com:8443/x"},
      {"x", "https://e.com:8443/a/x"},
      {"../x", "https://e.com:8443/x"},
      {"?q", "https://e.com:8443/a/b?q"},
      {"#f", "https://e.com:8443/a/b?c"},
      {"", "https://e.com:8443/a/b?c"},
      {"//o.com/x", "https://o.com/x"},
      {"http://o.com", "http://o.com/"},
      {"http://169.254.169.254/", "http://169.254.169.254/"},
      {"file:///etc/passwd", "refused"},
      {"gopher://x", "refused"},
  };
  for (const auto& c : cases) {
    const auto url = resolve_url(base, c.reference);
    EXPECT_EQ(url ? url->text() : "refused", c.expected) << c.reference;
    if (url) EXPECT_EQ(url->userinfo, "");
  }
}

TEST(UrlTest, EscapesAndBack) {
  EXPECT_EQ(percent_decode("a%20b%zz%4"), "a b%zz%4");
  EXPECT_EQ(percent_encode("a b&c=ü/"), "a%20b%26c%3D%C3%BC%2F");
}

}  // namespace
}  // namespace talaria::http
