// What outlives the gateway, however it ends.
#include <filesystem>
#include <fstream>
#include <random>
#include <string>

#include "gateway/gateway_test.h"

namespace talaria::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class GatewayDurableTest : public GatewayTest {
 protected:
  static std::string script(const std::string& name) {
    return std::string(TALARIA_GATEWAY_SCRIPTS) + "/" + name;
  }
  void write_port() const {
    const std::string file = world_.path("port");
    std::ofstream(file + ".new") << port_;
    fs::rename(file + ".new", file);
  }

  // The command may do something before the gateway knows that it runs.
  bool is_reported_as_running(const std::string& exec) {
    HttpTestClient http = client();
    return eventually([&] { return http.get(exec).text("status") == "running"; });
  }
};

TEST_F(GatewayDurableTest, KilledItFindsRunningExecsResultsAndSandboxesAgain) {
  start_gateway();
  HttpTestClient http = client();
  const std::map<std::string, std::string> key{{"X-Idempotency-Key", "k"}};
  const std::string sandbox = http.post("/v1/sandboxes", "", key).text("id");
  run(http, sandbox, "done", "echo before; exit 5");
  const std::string go = world_.path("go");
  const std::string wanted =
      body({{"execId", "long"},
            {"command", "echo begun > " + world_.path("begun") + "; echo a; until [ -e " + go +
                            " ]; do sleep 0.05; done; echo b"}});
  http.post(execs(sandbox) + "?wait=0", wanted);
  ASSERT_TRUE(appears("begun"));
  kill_gateway();
  start_gateway();

  HttpTestClient again = client();
  EXPECT_EQ(again.post("/v1/sandboxes", "", key).text("id"), sandbox);
  const HttpAnswer done = again.get(execs(sandbox) + "/done");
  EXPECT_EQ(done.text("output"), "before\n");
  EXPECT_EQ(done.json().at("returncode").as_int64(), 5);
  EXPECT_TRUE(eventually([&] {  // found again, not started
    return again.post(execs(sandbox) + "?wait=0", wanted).text("status") == "running";
  }));
  std::ofstream(go) << "now";
  const HttpAnswer ended = again.get(execs(sandbox) + "/long?wait=20000");
  EXPECT_EQ(ended.text("status"), "completed");
  EXPECT_EQ(ended.text("output"), "a\nb\n");
}

TEST_F(GatewayDurableTest, AnExecThatEndsWhileTheGatewayIsAwayIsNotLost) {
  start_gateway();
  HttpTestClient http = client();
  const std::string sandbox = create(http);
  http.post(execs(sandbox) + "?wait=0",
            body({{"execId", "away"},
                  {"command", "cat; echo 1 > " + world_.path("begun") + "; sleep 0.5; echo 1 > " +
                                  world_.path("ended") + "; exit 9"},
                  {"stdinData", "given\n"}}));
  ASSERT_TRUE(appears("begun"));
  kill_gateway();
  ASSERT_TRUE(appears("ended"));
  start_gateway();
  HttpTestClient again = client();
  const HttpAnswer ended = again.get(execs(sandbox) + "/away?wait=20000");
  EXPECT_EQ(ended.text("status"), "completed") << ended.body;
  EXPECT_EQ(ended.json().at("returncode").as_int64(), 9);
  EXPECT_EQ(ended.text("output"), "given\n");
}

TEST_F(GatewayDurableTest, WithItsRunnerKilledAnExecFailsAndTheSandboxGoesOn) {
  start_gateway();
  HttpTestClient http = client();
  const std::string sandbox = create(http);
  run(http, sandbox, "file", "echo kept > file");
  http.post(
      execs(sandbox) + "?wait=0",
      body({{"execId", "lost"}, {"command", "echo 1 > " + world_.path("begun") + "; sleep 300"}}));
  ASSERT_TRUE(is_reported_as_running(execs(sandbox) + "/lost"));
  ASSERT_TRUE(appears("begun"));
  ::kill(world_.runner()->pid(), SIGKILL);
  world_.expect_spilled_output();
  const HttpAnswer lost = http.get(execs(sandbox) + "/lost?wait=30000");
  EXPECT_EQ(lost.text("status"), "failed") << lost.body;
  EXPECT_NE(lost.json().at("returncode").as_int64(), 0);
  EXPECT_THAT(lost.text("output"), HasSubstr("lost"));
  EXPECT_EQ(run(http, sandbox, "after", "cat file").at("output").as_string(), "kept\n");
}

TEST_F(GatewayDurableTest, OnlyOneGatewayServesAHome) {
  start_gateway();
  const Finished second = world_.run({"serve", "--listen", "127.0.0.1:0"});
  EXPECT_EQ(second.code(), 1);
  EXPECT_THAT(second.err, HasSubstr("another gateway serves this home"));
}

TEST_F(GatewayDurableTest, ToldToStopItAnswersWhatIsUnderWayAndLeavesTheWorkAlone) {
  start_gateway();
  HttpTestClient http = client();
  const std::string sandbox = create(http);
  const std::string go = world_.path("go");
  const std::string wanted =
      body({{"execId", "long"},
            {"command", "echo 1 > " + world_.path("begun") + "; until [ -e " + go +
                            " ]; do sleep 0.05; done; echo end"}});
  ASSERT_TRUE(http.send(http.request("POST", execs(sandbox) + "?wait=30000", wanted)));
  ASSERT_TRUE(is_reported_as_running(execs(sandbox) + "/long"));
  ASSERT_TRUE(appears("begun"));
  stop_gateway();
  const HttpAnswer answer = http.receive();
  EXPECT_EQ(answer.status, 202);
  EXPECT_EQ(answer.text("status"), "running");
  EXPECT_EQ(answer.headers.at("connection"), "close");
  start_gateway();
  std::ofstream(go) << "now";
  HttpTestClient again = client();
  EXPECT_EQ(again.get(execs(sandbox) + "/long?wait=20000").text("output"), "end\n");
}

// Clients that send everything again until it is answered, while the gateway is killed under them.
TEST_F(GatewayDurableTest, KilledAgainAndAgainItRunsNothingTwiceAndLosesNothing) {
  start_gateway({"--log", "errors"});
  write_port();
  ProgramSpec spec{.argv = {"/usr/bin/python3", script("hammer.py"), world_.path("port"), token_,
                            world_.directory("hammered"), "6", "12"},
                   .env = world_.env()};
  Program hammer(spec);
  std::mt19937 numbers(7);
  for (int kill = 0; kill < 8 && hammer.running(); ++kill) {
    const auto pause = std::chrono::milliseconds(100 + numbers() % 500);
    hammer.read_until([] { return false; }, pause);
    kill_gateway();
    start_gateway({"--log", "errors"});
    write_port();
  }
  const auto ended = hammer.wait(std::chrono::seconds(100));
  ASSERT_TRUE(ended);
  EXPECT_EQ(exit_code_of(*ended), 0) << hammer.out() << hammer.err();
  EXPECT_TRUE(fs::is_empty(world_.path("home/talaria/sandboxes"))) << "all were terminated";
}

TEST_F(GatewayDurableTest, TheClientOfHermesWorksUnchanged) {
  start_gateway();
  ProgramSpec spec{
      .argv = {"/usr/bin/python3", script("hermes_client.py"),
               "http://127.0.0.1:" + std::to_string(port_) + "/", token_,
               "echo hello; mkdir -p sub && cd sub", "pwd; exit 4", "sleep 0.6; echo slow"},
      .env = world_.env()};
  Program hermes(spec);
  const auto ended = hermes.wait(std::chrono::seconds(60));
  ASSERT_TRUE(ended);
  EXPECT_EQ(exit_code_of(*ended), 0) << hermes.err();
  EXPECT_THAT(hermes.out(), HasSubstr("\"output\": \"hello\\n\", \"returncode\": 0,"));
  EXPECT_THAT(hermes.out(), HasSubstr("/sub\"}"));
  EXPECT_THAT(hermes.out(), HasSubstr("\"returncode\": 4"));
  EXPECT_THAT(hermes.out(), HasSubstr("\"output\": \"slow\\n\""));
  EXPECT_THAT(hermes.out(), HasSubstr("\"cleanup\": 200"));
}

}  // namespace
}  // namespace talaria::test
