// The session that the execs of a sandbox share.
#include <string>

#include "gateway/gateway_test.h"

namespace talaria::test {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

class GatewaySessionTest : public GatewayTest {
 protected:
  // The output of a command.
  std::string says(HttpTestClient& http, const std::string& sandbox, const std::string& id,
                   const std::string& command, json::object more = {}) {
    const json::object ended = run(http, sandbox, id, command, std::move(more));
    return ended.empty() ? "" : std::string(ended.at("output").as_string());
  }
};

// An exec was a background process that left the session alone: a client of Hermes that changed the
// directory or activated an environment had lost it in the next exec.
TEST_F(GatewaySessionTest, WhatOneExecLeavesIsThereForTheNext) {
  start_gateway();
  HttpTestClient http = client();
  const std::string sandbox = create(http);
  run(http, sandbox, "1",
      "mkdir -p work; cd work; export NAME=value; greet() { echo hello $1; }; "
      "shopt -s expand_aliases; alias ll='echo list'");
  EXPECT_THAT(says(http, sandbox, "2", "pwd"), EndsWith("/work\n"));
  EXPECT_EQ(says(http, sandbox, "3", "echo $NAME; greet you; ll"), "value\nhello you\nlist\n");
  EXPECT_EQ(says(http, create(http), "1", "echo \"[$NAME]\""), "[]\n") << "another sandbox";
}

TEST_F(GatewaySessionTest, AnExecMayLeaveTheSessionAlone) {
  start_gateway();
  HttpTestClient http = client();
  const std::string sandbox = create(http);
  run(http, sandbox, "1", "export NAME=first");
  const json::object alone{{"session", false}};
  EXPECT_EQ(says(http, sandbox, "2", "echo $NAME; export NAME=second; cd /", alone), "first\n");
  EXPECT_EQ(says(http, sandbox, "3", "echo $NAME"), "first\n");
  const HttpAnswer wrong =
      http.post(execs(sandbox), body({{"execId", "4"}, {"command", "true"}, {"session", "no"}}));
  EXPECT_EQ(wrong.status, 400) << wrong.body;
  EXPECT_THAT(wrong.body, HasSubstr("session must be true or false"));
}

TEST_F(GatewaySessionTest, ACwdIsForOneExec) {
  start_gateway();
  HttpTestClient http = client();
  const std::string sandbox = create(http);
  run(http, sandbox, "1", "mkdir -p a b; cd a");
  EXPECT_THAT(says(http, sandbox, "2", "pwd", {{"cwd", "b"}}), EndsWith("/b\n"));
  EXPECT_THAT(says(http, sandbox, "3", "pwd"), EndsWith("/a\n"));
}

TEST_F(GatewaySessionTest, TheSessionSurvivesTheGateway) {
  start_gateway();
  HttpTestClient http = client();
  const std::string sandbox = create(http);
  run(http, sandbox, "1", "export NAME=kept");
  kill_gateway();
  start_gateway();
  HttpTestClient again = client();
  EXPECT_EQ(says(again, sandbox, "2", "echo $NAME"), "kept\n");
}

TEST_F(GatewaySessionTest, AHangupEndsNoGateway) {
  start_gateway();
  gateway_->kill(SIGHUP);
  HttpTestClient http = client();
  EXPECT_EQ(http.get("/healthz").status, 200);
  gateway_->kill(SIGHUP);
  EXPECT_EQ(says(http, create(http), "1", "echo still here"), "still here\n");
}

TEST_F(GatewaySessionTest, AtTargetLocalItSaysThatThereIsNoIsolation) {
  start_gateway();
  EXPECT_EQ(client().get("/healthz").status, 200);
  gateway_->kill(SIGTERM);
  ASSERT_TRUE(gateway_->wait());
  EXPECT_THAT(gateway_->err(), HasSubstr("no isolation"));
  gateway_.reset();
}

TEST_F(GatewaySessionTest, WithADeadEngineItIsNotReady) {
  world_.set("DOCKER_HOST", "unix:" + world_.path("no-docker.sock"));
  start_gateway({"--target", "docker"});
  HttpTestClient http = client();
  const HttpAnswer ready = http.get("/readyz");
  EXPECT_EQ(ready.status, 503) << ready.body;
  EXPECT_THAT(ready.body, HasSubstr("the target does not answer"));
  EXPECT_EQ(http.get("/healthz").status, 200);
}

}  // namespace
}  // namespace talaria::test
