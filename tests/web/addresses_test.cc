// Which addresses are connected to, whatever names, answers and redirects say.
#include "web/web_test.h"

namespace talaria::test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST_F(WebTest, PrivateAndUnknownPlacesAreBlocked) {
  for (const char* url : {"http://127.0.0.1", "http://[::ffff:10.0.0.1]", "http://100.64.0.1",
                          "http://metadata.goog.", "http://METADATA.google.internal/", "ftp://x",
                          "file:///etc/passwd", "public.test", "http://no-such-host.test/",
                          "http://[::1]/", "http://0/", "http://0.0.0.0/", "http://localhost/"}) {
    EXPECT_EQ(error(url), kBlocked) << url;
  }
  EXPECT_THAT(network_.connected, IsEmpty());
}

TEST_F(WebTest, EncodedAddressesAreBlocked) {
  for (const char* url :
       {"http://2130706433/", "http://0x7f000001/", "http://017700000001/", "http://127.1/",
        "http://0x7f.1/", "http://127%2e0.0.1/", "http://１２７.0.0.1/", "http://2852039166/",
        "http://[64:ff9b::7f00:1]/", "http://[::127.0.0.1]/", "http://[2002:7f00:1::]/",
        "http://public.test@127.0.0.1/"}) {
    EXPECT_NE(error(url), "") << url;
  }
  EXPECT_THAT(network_.connected, IsEmpty());
}

TEST_F(WebTest, OneBadAnswerBlocksTheHost) {
  network_.hosts["mixed.test"] = {{"93.184.216.34", "10.0.0.1"}};
  network_.hosts["six.test"] = {{"2606:4700::1111", "::1"}};
  network_.hosts["none.test"] = {{}};
  for (const char* url : {"http://mixed.test/page", "http://six.test/page", "http://none.test/"}) {
    EXPECT_EQ(error(url), kBlocked) << url;
  }
  EXPECT_THAT(network_.connected, IsEmpty());
}

// The name is looked up once, and what was checked is what is connected to.
TEST_F(WebTest, RebindingFindsNoSecondLookup) {
  network_.hosts["rebind.test"] = {{"93.184.216.34"}, {"127.0.0.1"}};
  EXPECT_THAT(content("http://rebind.test/page"), HasSubstr("Hello"));
  EXPECT_THAT(network_.asked, ElementsAre("rebind.test"));
  EXPECT_THAT(network_.connected, ElementsAre("93.184.216.34"));
  EXPECT_EQ(error("http://rebind.test/page"), kBlocked);
}

// A redirect is a new lookup, and a new check.
TEST_F(WebTest, RebindingBehindARedirectIsBlocked) {
  network_.hosts["rebind.test"] = {{"93.184.216.34"}, {"127.0.0.1"}};
  EXPECT_EQ(error("http://rebind.test/redirect?to=/page"), kBlocked);
  EXPECT_THAT(network_.connected, ElementsAre("93.184.216.34"));
}

TEST_F(WebTest, RedirectsAreCheckedAtEveryHop) {
  for (const char* target :
       {"http://127.0.0.1/page", "http://169.254.169.254/latest/meta-data/", "http://[::1]/page",
        "http://2130706433/page", "http://metadata.google.internal/", "//127.0.0.1/page",
        "file:///etc/passwd", "gopher://public.test/", "http://no-such-host.test/",
        "http://public.test/redirect?to=http%3A%2F%2F10.0.0.1%2F"}) {
    network_.connected.clear();
    EXPECT_EQ(error(at("/redirect?to=" + http::percent_encode(target))), kBlocked) << target;
    for (const std::string& address : network_.connected) EXPECT_EQ(address, "93.184.216.34");
  }
  EXPECT_THAT(content(at("/redirect?to=/redirect%3Fto%3D/page")), HasSubstr("Hello"));
}

TEST_F(WebTest, MetadataIsBlockedAlsoWherePrivateIsAllowed) {
  config_.allow_private_urls = true;
  network_.hosts["inside.test"] = {{"169.254.169.254"}};
  for (const char* url :
       {"http://169.254.169.254/page", "http://169.254.170.2/page", "http://100.100.100.200/page",
        "http://[fd00:ec2::254]/page", "http://[::ffff:169.254.169.254]/page",
        "http://metadata.goog/page", "http://inside.test/page"}) {
    EXPECT_EQ(error(url), kBlocked) << url;
  }
  EXPECT_EQ(error(at("/redirect?to=http://169.254.169.254/")), kBlocked);
  for (const char* url :
       {"http://192.168.1.1/page", "http://127.0.0.1/page", "http://[::1]/page"}) {
    EXPECT_EQ(error(url), "") << url;
  }
}

TEST_F(WebTest, OneHostMayResolvePrivatelyByHttpsOnly) {
  network_.hosts["multimedia.nt.qq.com.cn"] = {{"10.1.2.3"}};
  network_.hosts["x.multimedia.nt.qq.com.cn"] = {{"10.1.2.3"}};
  EXPECT_EQ(error("http://multimedia.nt.qq.com.cn/"), kBlocked);
  EXPECT_EQ(error("https://x.multimedia.nt.qq.com.cn/"), kBlocked);
  EXPECT_THAT(error("https://multimedia.nt.qq.com.cn/"), HasSubstr("TLS"));
  EXPECT_THAT(network_.connected, ElementsAre("10.1.2.3"));
}

TEST_F(WebTest, TheWebsitePolicyHoldsForEveryProvider) {
  config_.blocklist = {.enabled = true, .domains = {"bad.test"}};
  network_.hosts["www.bad.test"] = {{"93.184.216.34"}};
  for (const bool tavily : {false, true}) {
    if (tavily) {
      config_.tavily_key = Secret("key");
      config_.tavily_url = "http://127.0.0.1:" + port() + "/tavily";
    }
    const json::object blocked = item("https://www.bad.test/x");
    EXPECT_THAT(std::string(blocked.at("error").as_string()),
                HasSubstr("Blocked by website policy"));
    EXPECT_EQ(json::serialize(blocked.at("blocked_by_policy")),
              R"({"host":"www.bad.test","rule":"bad.test","source":"config"})");
    EXPECT_THAT(network_.connected, IsEmpty());
  }
  config_.tavily_key.clear();
  EXPECT_TRUE(item(at("/redirect?to=http://www.bad.test/")).contains("blocked_by_policy"));
}

// Somebody else fetches these, so all that can be done is not to ask for them.
TEST_F(WebTest, AServiceIsNotAskedForPrivatePages) {
  config_.tavily_key = Secret("key");
  config_.tavily_url = "http://127.0.0.1:" + port() + "/tavily";
  network_.hosts["inside.test"] = {{"10.0.0.1"}};
  const json::object answer =
      extract({"http://inside.test/", at("/a"), "http://no-such-host.test/", at("/b")});
  const json::array& results = answer.at("results").as_array();
  EXPECT_EQ(results.at(0).at("error"), kBlocked);
  EXPECT_EQ(results.at(1).at("content"), "# by tavily");
  EXPECT_EQ(results.at(2).at("error"), kBlocked);
  EXPECT_EQ(results.at(3).at("error"), "tavily: cannot");
  EXPECT_THAT(network_.connected, ElementsAre("127.0.0.1"));
}

}  // namespace
}  // namespace talaria::test
