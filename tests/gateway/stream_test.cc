// The output of execs as it comes, and what can be done to them meanwhile.
#include <fstream>
#include <string>

#include "gateway/gateway_test.h"

namespace talaria::test {
namespace {

using testing::HasSubstr;
using testing::Not;

class GatewayStreamTest : public GatewayTest {
 protected:
  GatewayStreamTest() { start_gateway(); }

  HttpTestClient streaming(const std::string& path,
                           const std::map<std::string, std::string>& more = {}) const {
    HttpTestClient http = client();
    EXPECT_TRUE(http.send(http.request("GET", path, "", more)));
    return http;
  }
};

TEST_F(GatewayStreamTest, OutputComesWhileItRunsAndEndsWithTheEnd) {
  HttpTestClient http = client();
  const std::string sandbox = create(http);
  const std::string go = world_.path("go");
  http.post(execs(sandbox) + "?wait=0",
            body({{"execId", "s"},
                  {"command", "echo first; until [ -e " + go +
                                  " ]; do sleep 0.05; done; echo second; exit 3"}}));
  HttpTestClient stream = streaming(execs(sandbox) + "/s/output");
  const std::string head = stream.receive_until("\"data\":\"first\\n\"}");
  EXPECT_THAT(head, HasSubstr("Content-Type: text/event-stream"));
  EXPECT_THAT(head, HasSubstr("id: 6\nevent: output\n"));
  std::ofstream(go) << "now";
  const std::string rest = stream.receive_until("0\r\n\r\n");
  EXPECT_THAT(rest, HasSubstr("\"from\":6,\"next\":13,\"data\":\"second\\n\""));
  EXPECT_THAT(rest, HasSubstr("event: end\n"));
  EXPECT_THAT(rest, HasSubstr("\"status\":\"completed\",\"returncode\":3"));
}

TEST_F(GatewayStreamTest, ItGoesOnWhereAClientWas) {
  HttpTestClient http = client();
  const std::string sandbox = create(http);
  run(http, sandbox, "s", "printf 0123456789");
  HttpTestClient from = streaming(execs(sandbox) + "/s/output?from=4");
  EXPECT_THAT(from.receive_until("event: end"),
              HasSubstr("\"from\":4,\"next\":10,\"data\":\"456789\""));
  HttpTestClient again = streaming(execs(sandbox) + "/s/output?from=0", {{"Last-Event-ID", "8"}});
  EXPECT_THAT(again.receive_until("event: end"),
              HasSubstr("\"from\":8,\"next\":10,\"data\":\"89\""));
  EXPECT_EQ(http.get(execs(sandbox) + "/s/output?from=x").status, 400);
  EXPECT_EQ(http.get(execs(sandbox) + "/none/output").status, 404);
}

TEST_F(GatewayStreamTest, MuchOutputArrivesWhole) {
  HttpTestClient http = client();
  const std::string sandbox = create(http);
  http.post(execs(sandbox) + "?wait=0", body({{"execId", "m"}, {"command", "seq 1 300000"}}));
  HttpTestClient stream = streaming(execs(sandbox) + "/m/output");
  const std::string all = stream.receive_until("event: end", std::chrono::seconds(60));
  EXPECT_THAT(all, HasSubstr("300000\\n"));
  EXPECT_THAT(all, Not(HasSubstr("event: gap")));
  EXPECT_THAT(all, HasSubstr("\"next\":1988895,"));
}

TEST_F(GatewayStreamTest, InputAndSignalsReachACommandThatRuns) {
  HttpTestClient http = client();
  const std::string sandbox = create(http);
  http.post(execs(sandbox) + "?wait=0",
            body({{"execId", "i"},
                  {"command",
                   "trap 'echo caught' USR1; echo ready; read line; echo got $line; "
                   "read line; echo got $line; cat"},
                  {"stdin", true}}));
  HttpTestClient stream = streaming(execs(sandbox) + "/i/output");
  stream.receive_until("ready");
  EXPECT_EQ(http.post(execs(sandbox) + "/i/stdin", body({{"data", "one\n"}})).status, 200);
  stream.receive_until("got one");
  EXPECT_EQ(http.post(execs(sandbox) + "/i/signal", body({{"signal", "USR1"}})).status, 200);
  stream.receive_until("caught");
  EXPECT_EQ(
      http.post(execs(sandbox) + "/i/stdin", body({{"dataBase64", "dHdvCg=="}, {"end", true}}))
          .status,
      200);
  const HttpAnswer ended = http.get(execs(sandbox) + "/i?wait=20000");
  EXPECT_THAT(ended.text("output"), HasSubstr("got two\n"));
  EXPECT_EQ(ended.json().at("returncode").as_int64(), 0);
  EXPECT_EQ(http.post(execs(sandbox) + "/i/stdin", body({{"data", "x"}})).status, 409);
  EXPECT_EQ(http.post(execs(sandbox) + "/i/signal", body({{"signal", 15}})).status, 409);
  EXPECT_EQ(http.post(execs(sandbox) + "/i/signal", body({{"signal", "NONE"}})).status, 400);
}

}  // namespace
}  // namespace talaria::test
