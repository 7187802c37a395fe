// Servers that mean harm, or are broken: each ends in an error of that one page, soon.
#include <sys/resource.h>

#include <chrono>

#include "web/web_test.h"

namespace talaria::test {
namespace {

using testing::HasSubstr;

TEST_F(WebTest, SlowServersAreGivenUp) {
  limits_.time = std::chrono::milliseconds(300);
  for (const char* path : {"/loris", "/slow", "/silent"}) {
    const auto begun = std::chrono::steady_clock::now();
    EXPECT_EQ(error(at(path)), "no answer within 0.3 s") << path;
    EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(5)) << path;
  }
}

TEST_F(WebTest, AServerThatNeverSaysHelloIsGivenUp) {
  asio::io_context loop(1);
  const asio::ip::tcp::acceptor silent(loop, {asio::ip::address_v4::loopback(), 0});
  network_.port = silent.local_endpoint().port();
  limits_.time = std::chrono::milliseconds(300);
  EXPECT_EQ(error("https://public.test/"), "no answer within 0.3 s");
}

TEST_F(WebTest, EndlessAndSwollenBodiesAreCutOff) {
  EXPECT_THAT(error(at("/endless")), HasSubstr("longer than 1 MB"));
  EXPECT_THAT(error(at("/bomb")), HasSubstr("longer than 1 MB"));
  EXPECT_THAT(error(at("/headers")), HasSubstr("no proper answer"));
}

// One such line grew in memory as fast as it came, for as long as a page may take.
TEST_F(WebTest, ALineWithoutAnEndIsNotKept) {
  const auto most_memory = [] {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;  // KiB
  };
  limits_.time = std::chrono::seconds(30);
  (void)content(at("/page"));  // what all pages take
  const auto before = most_memory();
  for (const char* path :
       {"/endless-header", "/endless-extension", "/endless-size", "/endless-trailer"}) {
    EXPECT_THAT(error(at(path)), HasSubstr("no proper answer")) << path;
  }
  EXPECT_LT(most_memory() - before, 32 << 10);
}

TEST_F(WebTest, BrokenAnswersAreErrors) {
  EXPECT_THAT(error(at("/short")), HasSubstr("closed before the end"));
  for (const char* path : {"/nothing", "/promise"}) {
    EXPECT_THAT(error(at(path)), HasSubstr("closed without an answer")) << path;
  }
  EXPECT_THAT(error(at("/garbage")), HasSubstr("no proper answer"));
  EXPECT_EQ(error(at("/missing")), "HTTP 404 Not Found");
  EXPECT_EQ(error(at("/loop")), "more than 10 redirects");
  EXPECT_THAT(error(at("/image")), HasSubstr("its type is image/png"));
  EXPECT_THAT(error(at("/script")), HasSubstr("no text"));
  EXPECT_THAT(error(at("/deep")), HasSubstr("too complicated"));
}

TEST_F(WebTest, NobodyListens) {
  server_.reset();
  EXPECT_THAT(error(at("/page")), HasSubstr("public.test: Connection refused"));
}

TEST_F(WebTest, AnInterruptEndsTheCall) {
  const json::object answer = interrupted([&](web::WebAccess& access) {
    return tool::web_extract_in(access, {{"urls", {at("/silent"), at("/slow")}}}, cancel_);
  });
  EXPECT_EQ(json::serialize(answer), R"({"error":"Interrupted","success":false})");
}

TEST_F(WebTest, CertificatesAreChecked) {
  start_server_of("public.test");
  const std::string certificate = std::exchange(ca_file_, "");
  network_.hosts["other.test"] = {{"93.184.216.34"}};
  EXPECT_THAT(error("https://public.test/page"), HasSubstr("TLS: certificate verify failed"));
  ca_file_ = certificate;
  EXPECT_THAT(content("https://public.test/page"), HasSubstr("Hello"));
  EXPECT_THAT(error("https://other.test/page"), HasSubstr("TLS: certificate verify failed"));
}

}  // namespace
}  // namespace talaria::test
