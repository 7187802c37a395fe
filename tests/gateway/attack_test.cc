// Clients that mean harm, or do not know what they say.
#include <sys/resource.h>

#include <deque>
#include <filesystem>
#include <fstream>
#include <string>

#include "gateway/gateway_test.h"

namespace talaria::test {
namespace {

using testing::HasSubstr;
using testing::Not;

class GatewayAttackTest : public GatewayTest {
 protected:
  GatewayAttackTest() { start_gateway(); }

  std::string sent(const std::string& bytes) {
    HttpTestClient raw = client();
    EXPECT_TRUE(raw.send(bytes));
    return raw.receive_until("no such mark", std::chrono::seconds(5));
  }
};

// An encoding that was not understood was passed over, and the body read as the next request.
TEST_F(GatewayAttackTest, ABodyIsNeverTakenForARequest) {
  const std::string hidden = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";
  for (const char* said :
       {"Transfer-Encoding: xchunked\r\n", "Transfer-Encoding: chunked, gzip\r\n",
        "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding: chunked\r\nContent-Length: 2\r\n",
        "Content-Length: 2\r\nContent-Length: 40\r\n", "Transfer-Encoding : chunked\r\n"}) {
    const std::string answers = sent(
        "POST /v1/sandboxes/x/terminate HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " +
        token_ + "\r\n" + said + "\r\n" + hidden);
    EXPECT_TRUE(answers.starts_with("HTTP/1.1 400 ")) << said << answers;
    EXPECT_THAT(answers, Not(HasSubstr("\"ok\""))) << said;
  }
}

// A script that a client sends over /mcp ran and was written down as harmless.
TEST_F(GatewayAttackTest, AScriptThatClearsTheHomeIsRefused) {
  const std::string precious = world_.directory("user") + "/precious";
  std::ofstream(precious) << "x";
  const json::object meta{{"io.modelcontextprotocol/protocolVersion", "2026-07-28"},
                          {"io.modelcontextprotocol/clientCapabilities", json::object()}};
  const json::object call{{"jsonrpc", "2.0"},
                          {"id", 1},
                          {"method", "tools/call"},
                          {"params",
                           {{"name", "execute_code"},
                            {"arguments", {{"code", "import os; os.system('rm -rf ~/*')"}}},
                            {"_meta", meta}}}};
  HttpTestClient http = client();
  const HttpAnswer answer = http.post("/mcp", body(call),
                                      {{"Content-Type", "application/json"},
                                       {"Accept", "application/json"},
                                       {"MCP-Protocol-Version", "2026-07-28"},
                                       {"Mcp-Method", "tools/call"},
                                       {"Mcp-Name", "execute_code"}});
  EXPECT_EQ(answer.status, 200) << answer.body;
  EXPECT_THAT(answer.body, HasSubstr("BLOCKED (hardline)"));
  EXPECT_TRUE(std::filesystem::exists(precious));
}

TEST_F(GatewayAttackTest, WhatIsSaidTwiceOrTooLateDoesNotCount) {
  const std::string begin = "GET /v1/sandboxes HTTP/1.1\r\nHost: localhost\r\n";
  const std::string bearer = "Authorization: Bearer ";
  EXPECT_THAT(sent(begin + bearer + "x\r\n" + bearer + token_ + "\r\n\r\n"),
              HasSubstr("HTTP/1.1 400 "));
  EXPECT_THAT(sent(begin + "Host: example.org\r\n" + bearer + token_ + "\r\n\r\n"),
              HasSubstr("HTTP/1.1 400 "));
  EXPECT_THAT(sent("POST /v1/sandboxes HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                   "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n" +
                   bearer + token_ + "\r\n\r\n"),
              HasSubstr("HTTP/1.1 401 "));
}

TEST_F(GatewayAttackTest, ALineWithoutAnEndIsGivenUp) {
  const std::string head =
      "POST /v1/sandboxes HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + token_ +
      "\r\nTransfer-Encoding: chunked\r\n\r\n";
  EXPECT_THAT(sent(head + "2;" + std::string(100'000, 'a')), HasSubstr("HTTP/1.1 400 "));
  EXPECT_THAT(sent(head + "0\r\nA: " + std::string(100'000, 'a')), HasSubstr("HTTP/1.1 400 "));
}

// The token was looked at when the whole request was there: eight strangers took 256 MB, and nobody
// else could send a long request for two minutes.
TEST_F(GatewayAttackTest, LongRequestsOfStrangersAreRefusedByTheirHeaders) {
  const std::string head =
      "POST /v1/sandboxes HTTP/1.1\r\nHost: localhost\r\nContent-Length: 31457281\r\n\r\n";
  const std::string piece(1u << 20, ' ');
  std::deque<HttpTestClient> strangers;
  for (int i = 0; i < 12; ++i) {
    HttpTestClient& stranger = strangers.emplace_back(port_);
    ASSERT_TRUE(stranger.send(head));
    (void)stranger.send(piece);
    EXPECT_THAT(stranger.receive_until("\r\n", std::chrono::seconds(5)), HasSubstr(" 401 ")) << i;
  }
  HttpTestClient http = client();
  const HttpAnswer answer =
      http.post(execs(create(http)) + "?wait=30000",
                body({{"execId", "x"}, {"command", "wc -c"}, {"stdinData", piece + piece}}));
  EXPECT_EQ(answer.text("output"), "2097152\n") << answer.body;
}

class GatewayManyTest : public GatewayAttackTest {
 protected:
  void SetUp() override {
    GatewayAttackTest::SetUp();
    ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before_), 0);
    if (before_.rlim_max < 2048) GTEST_SKIP() << "not enough descriptors";
    rlimit all = before_;
    all.rlim_cur = all.rlim_max;
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &all), 0);
  }
  void TearDown() override {
    ::setrlimit(RLIMIT_NOFILE, &before_);
    GatewayAttackTest::TearDown();
  }

  rlimit before_{};
};

TEST_F(GatewayManyTest, AConnectionTooManyIsToldAndTheOthersAreServed) {
  HttpTestClient first = client();
  EXPECT_EQ(first.get("/v1/sandboxes").status, 200);
  std::deque<HttpTestClient> many;
  HttpAnswer refused;
  for (int i = 0; i < 4200 && refused.status != 503; ++i) {
    refused = many.emplace_back(client()).get("/v1/sandboxes");
    ASSERT_NE(refused.status, 0) << i << ": closed without a word";
  }
  EXPECT_EQ(refused.status, 503);
  EXPECT_EQ(first.get("/v1/sandboxes").status, 200);
  many.clear();
  EXPECT_TRUE(eventually([&] { return client().get("/healthz").status == 200; }));
}

// They shut everybody out for 70 seconds.
TEST_F(GatewayManyTest, SilentConnectionsMakeRoomForThoseWithAToken) {
  HttpTestClient known = client();
  EXPECT_EQ(known.get("/v1/sandboxes").status, 200);
  std::deque<HttpTestClient> silent;
  for (int i = 0; i < 1100; ++i) (void)silent.emplace_back(port_).send("GET ");
  for (int i = 0; i < 20; ++i) EXPECT_EQ(client().get("/v1/sandboxes").status, 200) << i;
  EXPECT_EQ(known.get("/v1/sandboxes").status, 200);
}

TEST_F(GatewayAttackTest, ARequestThatNeverComesWholeIsGivenUp) {
  HttpTestClient slow = client();
  ASSERT_TRUE(slow.send("GET /healthz HTTP/1.1\r\nHost: loc"));
  const HttpAnswer answer = slow.receive(std::chrono::seconds(60));
  EXPECT_EQ(answer.status, 408);
}

// Whoever connected when the runner had forgotten a command was told of its end, and of no output.
TEST_F(GatewayAttackTest, TheOutputOfAnEndedExecIsStreamedWithoutItsRunner) {
  HttpTestClient http = client();
  const std::string sandbox = create(http);
  run(http, sandbox, "short", "echo one; echo two");
  run(http, sandbox, "long", "head -c 3000000 /dev/zero");
  world_.runner()->kill(SIGKILL);
  ASSERT_TRUE(world_.runner()->wait_gone());
  for (const char* what : {"/jobs", "/spill"}) {  // where the next one would find it
    std::filesystem::remove_all(world_.runner_directory() + what);
  }
  const auto stream = [&](const std::string& what) {
    HttpTestClient other = client();
    EXPECT_TRUE(other.send(other.request("GET", execs(sandbox) + "/" + what, "")));
    return other.receive_until("event: end");
  };
  EXPECT_THAT(stream("short/output"), HasSubstr(R"({"from":0,"next":8,"data":"one\ntwo\n"})"));
  EXPECT_THAT(stream("short/output?from=4"), HasSubstr(R"({"from":4,"next":8,"data":"two\n"})"));
  EXPECT_THAT(stream("long/output"), HasSubstr("event: gap\ndata: {\"from\":0,\"next\":3000000}"));
}

}  // namespace
}  // namespace talaria::test
