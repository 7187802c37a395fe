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
                                       {"Accept", "application/json, text/event-stream"},
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
      "POST /v1/sandboxes HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n";
  EXPECT_THAT(sent(head + "2;" + std::string(100'000, 'a')), HasSubstr("HTTP/1.1 400 "));
  EXPECT_THAT(sent(head + "0\r\nA: " + std::string(100'000, 'a')), HasSubstr("HTTP/1.1 400 "));
}

// Nobody is asked for a token before the whole request is here.
TEST_F(GatewayAttackTest, LongRequestsOfStrangersDoNotTakeAllMemory) {
  constexpr std::size_t kBody = 30u << 20;
  const std::string head = "POST /v1/sandboxes HTTP/1.1\r\nHost: localhost\r\nContent-Length: " +
                           std::to_string(kBody + 1) + "\r\n\r\n";
  const std::string piece(1u << 20, ' ');
  std::deque<HttpTestClient> strangers;
  bool refused = false;
  for (int i = 0; i < 12 && !refused; ++i) {
    HttpTestClient& stranger = strangers.emplace_back(port_);
    bool taken = stranger.send(head);
    for (std::size_t sent_so_far = 0; sent_so_far < kBody && taken; sent_so_far += piece.size()) {
      taken = stranger.send(piece);
    }
    if (i < 8) continue;  // those fit
    refused = stranger.receive_until("\r\n", std::chrono::seconds(5)).contains(" 503 ");
  }
  EXPECT_TRUE(refused);
  HttpTestClient http = client();
  EXPECT_NE(create(http), "") << "short ones have their room";
  strangers.clear();
  const std::string sandbox = create(http);
  ASSERT_TRUE(eventually([&] {
    const HttpAnswer answer =
        http.post(execs(sandbox) + "?wait=30000",
                  body({{"execId", "x"}, {"command", "wc -c"}, {"stdinData", piece + piece}}));
    return answer.status == 200 && answer.text("output") == "2097152\n";
  }));
}

TEST_F(GatewayAttackTest, AConnectionTooManyIsToldAndTheOthersAreServed) {
  rlimit limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &limit), 0);
  if (limit.rlim_max < 2048) GTEST_SKIP() << "not enough descriptors";
  const rlimit before = limit;
  limit.rlim_cur = limit.rlim_max;
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &limit), 0);
  HttpTestClient first = client();
  EXPECT_EQ(first.get("/healthz").status, 200);
  std::deque<HttpTestClient> many;
  HttpAnswer refused;
  for (int i = 0; i < 1100 && refused.status != 503; ++i) {
    refused = many.emplace_back(client()).get("/healthz");
    ASSERT_NE(refused.status, 0) << i << ": closed without a word";
  }
  EXPECT_EQ(refused.status, 503);
  EXPECT_EQ(first.get("/healthz").status, 200);
  many.clear();
  EXPECT_TRUE(eventually([&] { return client().get("/healthz").status == 200; }));
  ::setrlimit(RLIMIT_NOFILE, &before);
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
