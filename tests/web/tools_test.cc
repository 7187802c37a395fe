// web_search and web_extract as an agent sees them.
#include "web/web_test.h"

namespace talaria::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST_F(WebTest, PagesBecomeMarkdown) {
  const json::object page = item(at("/page"));
  EXPECT_EQ(page.at("url"), json::value(at("/page")));
  EXPECT_EQ(page.at("title"), "A page");
  EXPECT_EQ(page.at("content"), "# Hello\n\nfrom [here](http://public.test/x)");
  EXPECT_TRUE(page.at("error").is_null());
  EXPECT_EQ(page.size(), 4u);
  EXPECT_EQ(content(at("/gzip")), "packed");
  EXPECT_EQ(content(at("/deflate")), "packed");
  EXPECT_EQ(content(at("/latin1")), "grüße");
  EXPECT_EQ(content(at("/plain")), "just text");
  EXPECT_EQ(content(at("/chunked")), "in three parts");
  EXPECT_EQ(content(at("/until-end")), "all of it");
  EXPECT_EQ(content(at("/inline")), "a [BASE64_IMAGE_REMOVED] b");
  EXPECT_EQ(item(at("/titled")).at("title").as_string().size(), 500u);
  EXPECT_THAT(content(at("/long")),
              HasSubstr("zz\n\n[Content truncated: the first 5,000 of 6,000"));
}

TEST_F(WebTest, ATextIsAListOfOneAndFiveCount) {
  EXPECT_EQ(extract(json::value(at("/plain"))).at("results").as_array().size(), 1u);
  EXPECT_EQ(extract(json::value("[\"" + at("/plain") + "\"]")).at("results").as_array().size(), 1u);
  json::array seven;
  for (int i = 0; i < 7; ++i) seven.emplace_back(at("/plain?" + std::to_string(i)));
  const json::object answer = extract(seven);
  ASSERT_EQ(answer.at("results").as_array().size(), 5u);
  EXPECT_EQ(answer.at("results").at(4).at("url"), seven[4]);
  EXPECT_EQ(network_.connected.size(), 7u);
  for (const json::value& nothing : {json::value(), json::value(7), json::value(json::array()),
                                     json::value(json::object()), json::value("")}) {
    EXPECT_EQ(json::serialize(extract(nothing)),
              R"({"error":"Content was inaccessible or not found"})");
  }
}

TEST_F(WebTest, ResultsComeInTheOrderOfTheInput) {
  const json::object answer =
      extract({at("/page"), "http://127.0.0.1/", at("/missing"), at("/plain")});
  const json::array& results = answer.at("results").as_array();
  ASSERT_EQ(results.size(), 4u);
  EXPECT_EQ(results[0].at("title"), "A page");
  EXPECT_EQ(results[1].at("error"), kBlocked);
  EXPECT_EQ(results[2].at("error"), "HTTP 404 Not Found");
  EXPECT_EQ(results[3].at("content"), "just text");
}

TEST_F(WebTest, SecretsInUrlsFailTheWholeCall) {
  const std::string key = "ghp_0123456789abcdefghijklmnopqrstuvwxyz";
  for (const std::string& secret :
       {key, "%67%68p_" + key.substr(4), "%2567%2568p_" + key.substr(4)}) {
    EXPECT_EQ(json::serialize(extract({at("/plain"), at("/plain?k=" + secret)})),
              R"({"success":false,"error":"Blocked: URL contains what appears to be an API key or )"
              R"(token. Secrets must not be sent in URLs."})")
        << secret;
  }
  EXPECT_THAT(network_.connected, IsEmpty());
  EXPECT_THAT(error("http://user:pw@public.test/plain"), HasSubstr("password"));
}

TEST_F(WebTest, TheLimitIsANumberFromOneToAHundred) {
  const struct {
    const char* arguments;
    std::size_t limit;
  } cases[] = {{R"({})", 5},
               {R"({"limit":0})", 1},
               {R"({"limit":1000})", 100},
               {R"({"limit":"x"})", 5},
               {R"({"limit":"7"})", 7},
               {R"({"limit":-3})", 1},
               {R"({"limit":2.9})", 2},
               {R"({"limit":null})", 5},
               {R"({"limit":[]})", 5},
               {R"({"limit":1e300})", 100}};
  for (const auto& c : cases) {
    EXPECT_EQ(tool::search_limit(json::parse(c.arguments).as_object()), c.limit) << c.arguments;
  }
}

TEST_F(WebTest, SearxngIsAskedWhereverItIsAndSortedByScore) {
  config_.searxng_url = "http://127.0.0.1:" + port() + "/searxng/";
  const json::object answer = search({{"query", "a \"b\" & ü"}, {"limit", 2}});
  EXPECT_EQ(json::serialize(answer),
            R"({"success":true,"data":{"web":[{"title":"T29","url":"https://r29.example/",)"
            R"("description":"about a \"b\" & ü","position":1},{"title":"T28",)"
            R"("url":"https://r28.example/","description":"about a \"b\" & ü","position":2}]}})");
  EXPECT_EQ(search({{"query", "x"}}).at("data").at("web").as_array().size(), 5u);
  EXPECT_EQ(search({{"query", "x"}, {"limit", 100}}).at("data").at("web").as_array().size(), 30u);
}

TEST_F(WebTest, ASearchThatFailsSaysWhy) {
  EXPECT_EQ(json::serialize(search({{"query", "x"}})),
            R"({"success":false,"error":"No web search provider is configured. Set )"
            R"(web.search_backend (searxng, brave-free or tavily) and its address or key in )"
            R"(config.yaml."})");
  config_.searxng_url = "http://127.0.0.1:" + port() + "/broken";
  EXPECT_THAT(json::serialize(search({{"query", "x"}})),
              HasSubstr("searxng: the answer is not JSON"));
  config_.searxng_url = "http://127.0.0.1:" + port() + "/nowhere";
  EXPECT_THAT(json::serialize(search({{"query", "x"}})), HasSubstr("searxng: HTTP 404"));
  config_.searxng_url = "http://169.254.169.254/";
  EXPECT_EQ(search({{"query", "x"}}).at("success"), false);
  config_.searxng_url = "nonsense";
  EXPECT_THAT(json::serialize(search({{"query", "x"}})), HasSubstr("SEARXNG_URL: not a valid URL"));
  EXPECT_EQ(search({{"query", " "}}).at("success"), false);
}

// A real instance whose engines were all blocked: the answer was an empty list, as if nothing
// existed.
TEST_F(WebTest, SearxngWithoutAnEngineThatAnswersIsAnErrorThatNamesThem) {
  config_.searxng_url = "http://127.0.0.1:" + port() + "/blocked";
  EXPECT_EQ(json::serialize(search({{"query", "x"}})),
            R"({"success":false,"error":"searxng: no result, because engines )"
            R"(of this instance failed: duckduckgo (CAPTCHA), google (Suspended: too many requests)"
            R"(). Try again later, or change the engines in its settings.yml"})");
  EXPECT_EQ(search({{"query", "partly"}}).at("data").at("web").as_array().size(), 1u);
  const json::object nothing = search({{"query", "rare"}});
  EXPECT_EQ(nothing.at("success"), true);
  EXPECT_TRUE(nothing.at("data").at("web").as_array().empty());
}

TEST_F(WebTest, TavilyGetsItsKeyAndTheQuery) {
  config_.tavily_key = Secret("tvly-key");
  config_.tavily_url = "http://127.0.0.1:" + port() + "/tavily";
  EXPECT_EQ(json::serialize(search({{"query", "q"}, {"limit", 50}})),
            R"({"success":true,"data":{"web":[{"title":"T","url":"https://t.example/",)"
            R"("description":"c","position":1}]}})");
  config_.tavily_key.clear();
  const json::array log = json::parse(content(at("/log"))).as_array();
  EXPECT_EQ(log.at(0).at("authorization"), "Bearer tvly-key");
  EXPECT_EQ(log.at(0).at("body"), R"({"query":"q","max_results":20})");
}

TEST_F(WebTest, TheProgramSearchesAndExtracts) {
  world_.set("SEARXNG_URL", "http://127.0.0.1:" + port() + "/searxng");
  const Finished found = world_.run({"call", "web_search", R"({"query":"x","limit":1})"});
  EXPECT_EQ(found.code(), 0) << found.err;
  EXPECT_THAT(found.out, HasSubstr("https://r29.example/"));

  const std::string urls = R"({"urls":["http://127.0.0.1:)" + port() + R"(/page"]})";
  EXPECT_THAT(world_.run({"call", "web_extract", urls}).out, HasSubstr(kBlocked));
  world_.set("HERMES_ALLOW_PRIVATE_URLS", "yes");
  EXPECT_THAT(world_.run({"call", "web_extract", urls}).out, HasSubstr("# Hello"));
  world_.set("HERMES_ALLOW_PRIVATE_URLS", "false");
  EXPECT_THAT(world_.run({"call", "web_extract", urls}).out, HasSubstr(kBlocked));
}

}  // namespace
}  // namespace talaria::test
