// Brave: one place on the web, so its name and its certificate are the test's own.
#include "web/web_test.h"

namespace talaria::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class BraveTest : public WebTest {
 protected:
  void SetUp() override {
    start_server_of("api.search.brave.com");
    config_.brave_key = Secret("brave-key");
  }

  std::string failure(const std::string& query) {
    const json::object answer = search({{"query", query}});
    EXPECT_EQ(answer.at("success"), false) << json::serialize(answer);
    EXPECT_THAT(json::serialize(answer), Not(HasSubstr("brave-key")));
    return std::string(answer.at("error").as_string());
  }

  // The requests the server got.
  json::array log() {
    http::HttpClient client(network_, limits_, ca_file_);
    const auto address = asio::ip::make_address("93.184.216.34");
    http::HttpRequest request{.url = *http::parse_url("https://api.search.brave.com/log")};
    const auto answer = run_to_end(client.exchange(std::move(request), {address}));
    return json::parse(answer.value().body).as_array();
  }
};

TEST_F(BraveTest, GetsItsKeyAndTheQuery) {
  EXPECT_EQ(json::serialize(search({{"query", "a \"b\" & ü"}, {"limit", 2}})),
            R"({"success":true,"data":{"web":[{"title":"B0","url":"https://b0.example/",)"
            R"("description":"about a \"b\" & ü","position":1},{"title":"B1",)"
            R"("url":"https://b1.example/","description":"about a \"b\" & ü","position":2}]}})");
  EXPECT_EQ(search({{"query", "x"}, {"limit", 100}}).at("data").at("web").as_array().size(), 20u);
  const json::array requests = log();
  EXPECT_EQ(requests.at(0).at("path"), "/res/v1/web/search?q=a%20%22b%22%20%26%20%C3%BC&count=2");
  EXPECT_EQ(requests.at(0).at("token"), "brave-key");
  EXPECT_TRUE(requests.at(0).at("authorization").is_null());
  EXPECT_EQ(requests.at(1).at("path"), "/res/v1/web/search?q=x&count=20");
}

TEST_F(BraveTest, SaysWhatIsWrong) {
  EXPECT_EQ(failure("no-json"), "brave-free: the answer is not JSON");
  EXPECT_EQ(failure("too-many"), "brave-free: HTTP 429 Too Many Requests");
  EXPECT_THAT(failure("endless"), HasSubstr("brave-free: "));
  EXPECT_THAT(failure("short"), HasSubstr("closed before the end"));
  config_.brave_key = Secret("another");
  EXPECT_EQ(failure("x"), "brave-free: HTTP 422 Unprocessable Entity");
}

TEST_F(BraveTest, AnAnswerOfAnotherShapeHasNoResults) {
  for (const char* query : {"no-web", "web-is-null", "web-is-text", "results-are-text", "list"}) {
    EXPECT_EQ(json::serialize(search({{"query", query}})), R"({"success":true,"data":{"web":[]}})")
        << query;
  }
  EXPECT_EQ(json::serialize(search({{"query", "odd-results"}})),
            R"({"success":true,"data":{"web":[{"title":"","url":"https://ok.example/",)"
            R"("description":"","position":1}]}})");
}

TEST_F(BraveTest, WordsWithoutEndAreCut) {
  const json::object answer = search({{"query", "endless-words"}});
  const json::value& hit = answer.at("data").at("web").at(0);
  EXPECT_EQ(hit.at("title").as_string().size(), 500u);
  EXPECT_EQ(hit.at("description").as_string().size(), 5'000u);
}

TEST_F(BraveTest, TheKeyFollowsNoRedirect) {
  EXPECT_THAT(failure("redirect"), HasSubstr("brave-free: HTTP 302"));
  EXPECT_THAT(network_.asked, ElementsAre("api.search.brave.com"));
}

TEST_F(BraveTest, WhoHasNotItsCertificateIsNotAsked) {
  ca_file_.clear();
  EXPECT_THAT(failure("x"), HasSubstr("TLS: certificate verify failed"));
}

TEST_F(BraveTest, AKeyThatIsNoHeaderAddsNone) {
  config_.brave_key = Secret("brave-key\r\nX-Evil: 1");
  EXPECT_THAT(failure("x"), HasSubstr("brave-free: "));
  for (const json::value& request : log()) EXPECT_TRUE(request.at("evil").is_null());
}

TEST_F(BraveTest, AnInterruptEndsTheCall) {
  const json::object answer = interrupted([&](web::WebAccess& access) {
    return tool::web_search_in(access, {{"query", "silent"}}, cancel_);
  });
  EXPECT_EQ(json::serialize(answer), R"({"error":"Interrupted","success":false})");
}

}  // namespace
}  // namespace talaria::test
