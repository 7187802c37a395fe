// Connections, whatever their clients do.
#include <algorithm>
#include <sstream>
#include <string>
#include <thread>

#include <boost/json/parse.hpp>

#include "gateway/gateway_test.h"
#include "support/certificate.h"

namespace talaria::test {
namespace {

using testing::HasSubstr;
using testing::Not;

class GatewayConnectionTest : public GatewayTest {
 protected:
  GatewayConnectionTest() { start_gateway(); }
};

TEST_F(GatewayConnectionTest, OneConnectionServesManyRequestsInTheirOrder) {
  HttpTestClient http = client();
  const std::string sandbox = create(http);
  const std::string slow =
      http.request("POST", execs(sandbox) + "?wait=20000",
                   body({{"execId", "slow"}, {"command", "sleep 0.3; echo slow"}}));
  const std::string fast = http.request("GET", "/healthz", "");
  ASSERT_TRUE(http.send(slow + fast + fast));
  EXPECT_EQ(http.receive().text("output"), "slow\n");
  EXPECT_EQ(http.receive().text("status"), "ok");
  EXPECT_EQ(http.receive().text("status"), "ok");
}

TEST_F(GatewayConnectionTest, WhatIsNoRequestIsToldAndTheConnectionClosed) {
  HttpTestClient http = client();
  ASSERT_TRUE(http.send("this is no HTTP\r\n\r\n"));
  const HttpAnswer answer = http.receive();
  EXPECT_EQ(answer.status, 400);
  EXPECT_THAT(answer.text("error"), Not(""));
  const HttpAnswer headers = http.ask("GET", "/healthz", "", {{"X-Long", std::string(20000, 'x')}});
  EXPECT_EQ(headers.status, 431);
  HttpTestClient other = client();
  ASSERT_TRUE(
      other.send("POST /v1/sandboxes HTTP/1.1\r\nHost: localhost\r\nContent-Length: "
                 "99999999999\r\n\r\n"));
  EXPECT_EQ(other.receive().status, 413);
}

TEST_F(GatewayConnectionTest, RequestsOfPagesAndByOtherNamesAreRefused) {
  HttpTestClient http = client();
  EXPECT_EQ(http.ask("GET", "/v1/sandboxes", "", {{"Origin", "https://example.org"}}).status, 403);
  EXPECT_EQ(http.ask("GET", "/v1/sandboxes", "", {{"Host", "evil.example.org"}}).status, 403);
  EXPECT_EQ(http.ask("GET", "/healthz", "", {{"Host", "evil.example.org:80"}}).status, 403);
  for (const char* host : {"localhost:1", "127.0.0.1", "[::1]:8642"}) {
    EXPECT_EQ(http.ask("GET", "/v1/sandboxes", "", {{"Host", host}}).status, 200) << host;
  }
  const HttpAnswer options = http.ask("OPTIONS", "/v1/sandboxes", "");
  EXPECT_EQ(options.status, 405);
  EXPECT_EQ(options.headers.at("allow"), "POST, GET");
  EXPECT_FALSE(options.headers.contains("access-control-allow-origin"));
}

TEST_F(GatewayConnectionTest, RequestsHaveAnIdThatTheLogHasTooAndNoSecrets) {
  HttpTestClient http = client();
  EXPECT_EQ(http.ask("GET", "/healthz", "", {{"X-Request-Id", "mine-1"}}).headers["x-request-id"],
            "mine-1");
  EXPECT_THAT(http.get("/healthz").headers["x-request-id"], HasSubstr("req_"));
  const std::string sandbox = create(http);
  run(http, sandbox, "e1", "echo sesame-open");
  ASSERT_TRUE(gateway_->read_until([&] {
    return gateway_->err().contains("\"request_id\":\"mine-1\"") &&
           gateway_->err().contains("\"exec\":\"e1\"");
  }));
  EXPECT_THAT(gateway_->err(), Not(HasSubstr(token_.substr(21))));
  EXPECT_THAT(gateway_->err(), Not(HasSubstr("sesame-open")));
}

TEST_F(GatewayConnectionTest, TheLogNamesUserTokenAndSandbox) {
  HttpTestClient http = client();
  http.token = new_token("laptop", {"--user", "mia"});
  const std::string sandbox = create(http);
  http.ask("POST", execs(sandbox) + "?wait=30000", body({{"execId", "e7"}, {"command", "echo hi"}}),
           {{"X-Request-Id", "mine-7"}});
  EXPECT_EQ(client().ask("GET", "/v1/sandboxes", "", {{"X-Request-Id", "mine-8"}}).status, 200);
  EXPECT_EQ(client().ask("GET", "/healthz", "", {{"X-Request-Id", "mine-9"}}).status, 200);
  const auto line = [&](const std::string& request) {
    const std::string mark = "\"request_id\":\"" + request + "\"";
    EXPECT_TRUE(gateway_->read_until([&] {
      const std::size_t at = gateway_->err().find(mark);
      return at != std::string::npos && gateway_->err().find('\n', at) != std::string::npos;
    })) << request;
    std::istringstream lines(gateway_->err());
    for (std::string one; std::getline(lines, one);) {
      if (one.contains(mark)) return json::parse(one).as_object();
    }
    return json::object();
  };
  const json::object exec = line("mine-7");
  EXPECT_EQ(exec.at("user").as_string(), "mia");
  EXPECT_EQ(exec.at("token").as_string(), "laptop");
  EXPECT_EQ(exec.at("sandbox").as_string(), sandbox);
  EXPECT_EQ(exec.at("exec").as_string(), "e7");
  const json::object list = line("mine-8");
  EXPECT_EQ(list.at("token").as_string(), "tester");
  EXPECT_FALSE(list.contains("sandbox"));
}

TEST_F(GatewayConnectionTest, TraceContextReachesTheCommand) {
  HttpTestClient http = client();
  const std::string sandbox = create(http);
  const std::string parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  http.headers["traceparent"] = parent;
  EXPECT_EQ(run(http, sandbox, "t", "echo $TRACEPARENT $MORE", {{"env", {{"MORE", "and more"}}}})
                .at("output")
                .as_string(),
            parent + " and more\n");
}

TEST_F(GatewayConnectionTest, TheQuotaOfATokenIs429AndStartsNothing) {
  HttpTestClient http = client();
  http.token = new_token("small", {"--max-sandboxes", "1", "--max-execs", "1"});
  const std::string sandbox = create(http);
  const HttpAnswer third = http.post("/v1/sandboxes");
  EXPECT_EQ(third.status, 429);
  EXPECT_THAT(third.text("error"), HasSubstr("your user has 1 sandbox, and this token allows 1"));
  EXPECT_THAT(third.text("error"), HasSubstr("--max-sandboxes"));
  http.post(
      execs(sandbox) + "?wait=0",
      body({{"execId", "a"}, {"command", "echo 1 > " + world_.path("begun") + "; sleep 300"}}));
  ASSERT_TRUE(appears("begun"));  // else its runner may come when nobody looks for it any more
  const HttpAnswer second = http.post(execs(sandbox), body({{"execId", "b"}, {"command", "true"}}));
  EXPECT_EQ(second.status, 429);
  EXPECT_EQ(second.headers.at("retry-after"), "1");
  EXPECT_THAT(second.text("error"), HasSubstr("this token allows 1: wait until one has ended"));
  EXPECT_THAT(second.text("error"), HasSubstr("--max-execs"));
  EXPECT_EQ(http.get(execs(sandbox) + "/b").status, 404) << "nothing was started";

  HttpTestClient slow = client();
  slow.token = new_token("slow", {"--rate", "3"});
  for (int i = 0; i < 3; ++i) EXPECT_EQ(slow.get("/v1/sandboxes").status, 200) << i;
  const HttpAnswer fourth = slow.get("/v1/sandboxes");
  EXPECT_EQ(fourth.status, 429);
  const int seconds = std::stoi(fourth.headers.at("retry-after"));
  EXPECT_TRUE(seconds > 10 && seconds <= 20) << seconds;
  EXPECT_THAT(fourth.text("error"), HasSubstr("3 requests per minute"));
  EXPECT_THAT(fourth.text("error"), HasSubstr("talaria token limit slow --rate COUNT"));
  HttpTestClient elsewhere = client();
  elsewhere.token = new_token("elsewhere", {"--only-target", "docker"});
  EXPECT_EQ(elsewhere.get("/v1/sandboxes").status, 403);
}

TEST_F(GatewayConnectionTest, LimitsOfATokenAreChangedWhileItIsUsed) {
  HttpTestClient http = client();
  http.token = new_token("small", {"--max-sandboxes", "1", "--rate", "2"});
  const std::string sandbox = create(http);
  EXPECT_EQ(http.post("/v1/sandboxes").status, 429);
  EXPECT_THAT(http.post("/v1/sandboxes").text("error"), HasSubstr("2 requests per minute"));
  const Finished changed =
      world_.run({"token", "limit", "small", "--max-sandboxes", "2", "--rate", "60000"});
  EXPECT_EQ(changed.out, "token 'small': at most 2 sandboxes, at most 60000 requests/min\n")
      << changed.err;
  gateway_->kill(SIGHUP);  // keeps what was counted, and the limits
  ASSERT_TRUE(eventually([&] { return http.get("/v1/sandboxes").status == 200; }));
  const std::string other = create(http);
  EXPECT_EQ(http.post("/v1/sandboxes").status, 429);
  EXPECT_EQ(http.post("/v1/sandboxes/" + sandbox + "/terminate").status, 200);
  EXPECT_NE(create(http), other) << "a terminated one does not count";
  EXPECT_EQ(world_.run({"token", "limit", "small", "--max-sandboxes", "0"}).out,
            "token 'small': at most 60000 requests/min\n");
  EXPECT_EQ(world_.run({"token", "limit", "small", "--rate", "0"}).out,
            "token 'small' has no limits of its own; the gateway.* settings apply\n");
  create(http);
  EXPECT_EQ(world_.run({"token", "limit", "nobody", "--rate", "1"}).code(), 1);
  EXPECT_EQ(world_.run({"token", "limit", "small"}).code(), 2);
}

// A gateway where the settings limit tokens without limits of their own.
class GatewayDefaultLimitsTest : public GatewayTest {};

TEST_F(GatewayDefaultLimitsTest, SettingsLimitTokensWithoutLimitsOfTheirOwn) {
  world_.set("TALARIA_GATEWAY_MAX_SANDBOXES", "1");
  world_.set("TALARIA_GATEWAY_MAX_EXECS", "1");
  world_.set("TALARIA_GATEWAY_RATE", "5");
  start_gateway();
  HttpTestClient http = client();
  const std::string sandbox = create(http);
  EXPECT_THAT(http.post("/v1/sandboxes").text("error"), HasSubstr("gateway.max_sandboxes"));
  http.post(
      execs(sandbox) + "?wait=0",
      body({{"execId", "a"}, {"command", "echo 1 > " + world_.path("begun") + "; sleep 300"}}));
  ASSERT_TRUE(eventually([&] { return std::filesystem::exists(world_.path("begun")); }));
  const HttpAnswer second = http.post(execs(sandbox), body({{"execId", "b"}, {"command", "true"}}));
  EXPECT_EQ(second.status, 429);
  EXPECT_THAT(second.text("error"), HasSubstr("gateway.max_execs"));
  EXPECT_EQ(http.post("/v1/sandboxes/" + sandbox + "/terminate").status, 200);
  EXPECT_THAT(http.get("/v1/sandboxes").text("error"), HasSubstr("gateway.rate"));
  HttpTestClient own = client();
  own.token = new_token("own", {"--max-sandboxes", "2", "--rate", "600"});
  create(own);
  create(own);
  EXPECT_EQ(own.post("/v1/sandboxes").status, 429);
}

TEST_F(GatewayConnectionTest, AClientThatGoesAwayLeavesItsCommandAlone) {
  HttpTestClient http = client();
  const std::string sandbox = create(http);
  HttpTestClient gone = client();
  ASSERT_TRUE(gone.send(gone.request(
      "POST", execs(sandbox) + "?wait=30000",
      body({{"execId", "x"},
            {"command", "echo 1 > " + world_.path("begun") + "; sleep 0.3; echo y"}}))));
  ASSERT_TRUE(appears("begun"));
  gone.close();
  EXPECT_EQ(http.get(execs(sandbox) + "/x?wait=20000").text("output"), "y\n");
}

// It was noticed at the end of the wait, half a minute later.
TEST_F(GatewayConnectionTest, AClientThatGoesAwayDuringAWaitFreesItsPlaceAtOnce) {
  HttpTestClient http = client();
  const std::string sandbox = create(http);
  run(http, sandbox, "first", "true");
  http.post(execs(sandbox) + "?wait=0", body({{"execId", "long"}, {"command", "sleep 300"}}));
  const auto connections = [&](int count) {
    return eventually(
        [&] {
          return http.get("/metrics")
              .body.contains("talaria_gateway_connections " + std::to_string(count) + "\n");
        },
        std::chrono::seconds(15));
  };
  HttpTestClient waiting = client();
  HttpTestClient reading = client();
  ASSERT_TRUE(waiting.send(waiting.request("GET", execs(sandbox) + "/long?wait=30000", "")));
  ASSERT_TRUE(reading.send(reading.request("GET", execs(sandbox) + "/long/output", "")));
  ASSERT_NE(reading.receive_until(": talaria"), "");
  ASSERT_TRUE(connections(3));
  waiting.close();
  EXPECT_TRUE(connections(2));
  reading.close();
  EXPECT_TRUE(connections(1));
}

TEST_F(GatewayConnectionTest, WhoOnlyClosesItsOwnSideIsStillAnswered) {
  HttpTestClient http = client();
  const std::string sandbox = create(http);
  HttpTestClient half = client();
  ASSERT_TRUE(half.send(half.request("POST", execs(sandbox) + "?wait=30000",
                                     body({{"execId", "x"}, {"command", "sleep 300"}}))));
  half.close_own_side();
  const HttpAnswer answer = half.receive(std::chrono::seconds(15));
  EXPECT_EQ(answer.status, 202) << "at once, with what is";
  EXPECT_EQ(answer.text("execId"), "x");
  // A runner that is only being started when the test ends would be left behind.
  EXPECT_TRUE(
      eventually([&] { return http.get(execs(sandbox) + "/x").text("status") == "running"; }));
}

TEST_F(GatewayConnectionTest, MetricsCountWhatWasServed) {
  HttpTestClient http = client();
  create(http);
  EXPECT_EQ(HttpTestClient(port_).get("/metrics").status, 401);
  const HttpAnswer metrics = http.get("/metrics");
  EXPECT_EQ(metrics.status, 200);
  EXPECT_THAT(metrics.body, HasSubstr("talaria_gateway_sandboxes 1\n"));
  EXPECT_THAT(metrics.body, HasSubstr("talaria_gateway_requests_total{method=\"POST\",route=\"/v1/"
                                      "sandboxes\",status=\"201\"} 1\n"));
  EXPECT_THAT(metrics.body, HasSubstr("target=\"local\",le=\"+Inf\""));
  EXPECT_THAT(metrics.body, HasSubstr("process_open_fds "));
}

TEST_F(GatewayConnectionTest, SandboxesEndWhenTheirTimeIsUpAndIdleOnesToo) {
  HttpTestClient http = client();
  const std::string idle = create(http, {{"idleTimeoutMs", 300}});
  const std::string old = create(http, {{"timeoutMs", 300}});
  const std::string busy = create(http, {{"idleTimeoutMs", 1500}});
  http.post(execs(old) + "?wait=0", body({{"execId", "a"}, {"command", "sleep 300"}}));
  http.post(execs(busy) + "?wait=0", body({{"execId", "a"}, {"command", "sleep 300"}}));
  EXPECT_TRUE(eventually([&] { return http.get("/v1/sandboxes/" + idle).status == 404; }));
  EXPECT_TRUE(eventually([&] { return http.get("/v1/sandboxes/" + old).status == 404; }));
  EXPECT_EQ(http.get("/v1/sandboxes/" + busy).status, 200);
}

TEST_F(GatewayConnectionTest, SandboxesThatAreDueEndSideBySide) {
  using std::chrono::steady_clock;
  HttpTestClient http = client();
  const auto due = steady_clock::now() + std::chrono::seconds(5);
  for (const std::string name : {"one", "two", "three"}) {
    const auto left = std::chrono::floor<std::chrono::milliseconds>(due - steady_clock::now());
    const std::string sandbox = create(http, {{"timeoutMs", std::max(left.count(), 1L)}});
    const std::string mark = world_.path(name);
    const std::string command = "trap '' TERM; : > " + mark + "; while :; do sleep 0.1; done";
    http.post(execs(sandbox) + "?wait=0", body({{"execId", "a"}, {"command", command}}));
    ASSERT_TRUE(eventually([&] { return std::filesystem::exists(mark); }));
  }
  // Each takes a second to end, because it ignores TERM, and is listed until it has.
  EXPECT_TRUE(eventually([&] {
    const json::value all = http.get("/v1/sandboxes").json();
    return std::ranges::count_if(all.at("sandboxes").as_array(), [](const json::value& one) {
             return one.at("status").as_string() == "terminated";
           }) > 1;
  }));
}

class GatewayListenTest : public GatewayTest {};

TEST_F(GatewayListenTest, WithoutATokenItSaysHowToMakeOne) {
  EXPECT_EQ(world_.run({"token", "revoke", "tester"}).code(), 0);
  start_gateway();
  EXPECT_TRUE(gateway_->read_until([&] { return gateway_->err().contains("talaria token add"); }));
  HttpTestClient http = client();
  http.token.clear();
  EXPECT_THAT(http.get("/v1/sandboxes").text("error"), HasSubstr("talaria token add"));
}

TEST_F(GatewayListenTest, AUnixSocketIsItsOwnersAndIsTakenOverFromTheDead) {
  const std::string path = world_.path("gateway.sock");
  start_gateway({"--listen", "unix:" + path});
  ASSERT_TRUE(gateway_->read_until_contains("unix:"));
  HttpTestClient http{path};
  EXPECT_EQ(http.get("/v1/sandboxes").status, 401);
  http.token = token_;
  EXPECT_EQ(http.get("/v1/sandboxes").status, 200);
  EXPECT_EQ(std::filesystem::status(path).permissions() & std::filesystem::perms(0777),
            std::filesystem::perms(0600));
  kill_gateway();
  start_gateway({"--listen", "unix:" + path});
  ASSERT_TRUE(gateway_->read_until_contains("unix:"));
  http.close();
  EXPECT_EQ(http.get("/v1/sandboxes").status, 200);
  stop_gateway();
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST_F(GatewayListenTest, WiderThanThisMachineOnlyWithTlsOrByName) {
  const Finished refused = world_.run({"serve", "--listen", "0.0.0.0:0"});
  EXPECT_EQ(refused.code(), 1);
  EXPECT_THAT(refused.err, HasSubstr("--insecure-plain-http"));
  EXPECT_EQ(world_.run({"token", "revoke", "tester"}).code(), 0);
  const Finished nobody = world_.run({"serve", "--listen", "0.0.0.0:0", "--insecure-plain-http"});
  EXPECT_EQ(nobody.code(), 1);
  EXPECT_THAT(nobody.err, HasSubstr("talaria token add"));
}

TEST_F(GatewayListenTest, AnAddressThatIsNoneIsAWrongCommandLine) {
  EXPECT_EQ(world_.run({"serve", "--listen", "nowhere"}).code(), 2);
  const Finished port = world_.run({"serve", "--listen", "127.0.0.1:99999"});
  EXPECT_EQ(port.code(), 2);
  EXPECT_THAT(port.err, HasSubstr("expected a port of at most 65535"));
}

TEST_F(GatewayListenTest, TheLogSaysWhyASandboxCouldNotBeMade) {
  world_.set("TERMINAL_SSH_HOST", "127.0.0.1");
  world_.set("TERMINAL_SSH_USER", "nobody");
  world_.set("TERMINAL_SSH_PORT", "1");
  start_gateway({"--target", "ssh"});
  HttpTestClient http = client();
  const HttpAnswer refused = http.post("/v1/sandboxes");
  EXPECT_GE(refused.status, 500);
  EXPECT_TRUE(gateway_->read_until([&] { return gateway_->err().contains("\"error\":\"SSH"); }))
      << gateway_->err();
}

TEST_F(GatewayListenTest, ATokenIsForTargetsThatThereAre) {
  const Finished added = world_.run({"token", "add", "other", "--only-target", "dokcer"});
  EXPECT_EQ(added.code(), 2);
  EXPECT_THAT(added.err, HasSubstr("got 'dokcer'"));
}

TEST_F(GatewayListenTest, WithACertificateItSpeaksTlsToCurl) {
  const auto [certificate, key] = make_certificate(world_, "own");
  ASSERT_NE(certificate, "");
  start_gateway({"--tls-cert", certificate, "--tls-key", key});
  Program curl({.argv = {"/usr/bin/curl", "-sS", "--cacert", certificate, "-H",
                         "Authorization: Bearer " + token_, "-X", "POST",
                         "https://127.0.0.1:" + std::to_string(port_) + "/v1/sandboxes"},
                .env = world_.env()});
  ASSERT_TRUE(curl.wait());
  EXPECT_THAT(curl.out(), HasSubstr("\"id\":\"sbx_")) << curl.err();
  HttpTestClient plain = client();
  EXPECT_EQ(plain.get("/healthz").status, 0) << "nothing without TLS";
}

class GatewayCertificateTest : public GatewayTest {
 protected:
  // What a client that believes this certificate alone gets.
  std::string ask(const Certificate& believed) {
    Program curl({.argv = {"/usr/bin/curl", "-sS", "--cacert", believed.file,
                           "https://127.0.0.1:" + std::to_string(port_) + "/healthz"},
                  .env = world_.env()});
    (void)curl.wait();
    return curl.out();
  }
};

TEST_F(GatewayCertificateTest, ANewOneCountsAfterSighupAndABrokenOneDoesNot) {
  const Certificate first = make_certificate(world_, "first");
  const Certificate second = make_certificate(world_, "second");
  const Certificate used{world_.path("used.pem"), world_.path("used-key.pem")};
  const auto use = [&](const Certificate& one) {
    const auto over = std::filesystem::copy_options::overwrite_existing;
    std::filesystem::copy_file(one.file, used.file, over);
    std::filesystem::copy_file(one.key, used.key, over);
  };
  use(first);
  start_gateway({"--tls-cert", used.file, "--tls-key", used.key});
  EXPECT_THAT(ask(first), HasSubstr("ok"));
  EXPECT_EQ(ask(second), "");
  use(second);
  gateway_->kill(SIGHUP);
  EXPECT_TRUE(eventually([&] { return ask(second).contains("ok"); }));
  EXPECT_EQ(ask(first), "");
  std::filesystem::copy_file(first.key, used.key,
                             std::filesystem::copy_options::overwrite_existing);
  gateway_->kill(SIGHUP);
  EXPECT_TRUE(gateway_->read_until(
      [&] { return gateway_->err().contains("keeping the previous certificate"); }));
  EXPECT_THAT(ask(second), HasSubstr("ok"));
}

}  // namespace
}  // namespace talaria::test
