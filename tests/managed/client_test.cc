// The client's side of the managed protocol, against a gateway that says what servers may say.
#include <chrono>
#include <csignal>

#include "managed/managed_test.h"

namespace talaria::test {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kLong{60};

TEST_F(ManagedTest, CreateWithoutAnIdIsAnError) {
  serve({{"create", {{{"status", 200}, {"json", {{"ok", true}}}}}}});
  const json::object result = run("true");
  EXPECT_THAT(error_of(result), HasSubstr("Managed Modal create did not return a sandbox id"));
  EXPECT_EQ(count("start"), 0u);
}

TEST_F(ManagedTest, CreateThatIsRefusedSaysWhy) {
  serve({{"create", {{{"status", 402}, {"json", {{"error", "no credit left"}}}}}}});
  EXPECT_THAT(error_of(run("true")), HasSubstr("Managed Modal create failed: no credit left"));
}

TEST_F(ManagedTest, TheResultIsWhatTheGatewaySays) {
  serve({{"start", {goes_on()}},
         {"poll",
          {exec_says({{"status", "running"}}),
           exec_says({{"status", "completed"}, {"output", "all of it"}, {"returncode", 7}})}}});
  const json::object result = run("true");
  EXPECT_EQ(output_of(result), "all of it");
  EXPECT_EQ(code_of(result), 7);
  EXPECT_EQ(error_of(result), "");
  EXPECT_EQ(count("poll"), 2u);
  EXPECT_EQ(count("start"), 1u);
}

TEST_F(ManagedTest, AnExecThatHasEndedAtOnceIsNotAskedFor) {
  serve(
      {{"start", {exec_says({{"status", "completed"}, {"output", "quick"}, {"returncode", 0}})}}});
  EXPECT_EQ(output_of(run("true")), "quick");
  EXPECT_EQ(count("poll"), 0u);
}

TEST_F(ManagedTest, AnInterruptCancelsOnce) {
  serve({{"start", {goes_on()}}, {"poll", {exec_says({{"status", "running"}})}}});
  LinesClient agent(world_);
  const int id = agent.send({.command = "sleep 1000"});
  ASSERT_TRUE(eventually([&] { return count("poll") > 0; }));
  agent.cancel(id);
  const json::object result = agent.result(id);
  EXPECT_EQ(output_of(result), "[Command interrupted - Modal sandbox exec cancelled]");
  EXPECT_EQ(code_of(result), 130);
  EXPECT_EQ(count("cancel"), 1u);
}

TEST_F(ManagedTest, AnInterruptEndsTheCommandAtTheGateway) {
  serve();
  LinesClient agent(world_);
  const int id = agent.send({.command = "echo $$ >" + world_.path("pid") + "; sleep 1000"});
  const ProcessName shell = process_in("pid");
  agent.cancel(id);
  EXPECT_EQ(code_of(agent.result(id)), 130);
  EXPECT_TRUE(eventually([&] { return !is_alive(shell); }));
}

TEST_F(ManagedTest, AnExecThatNeverEndsIsGivenUpTenSecondsAfterItsTimeout) {
  serve({{"start", {goes_on()}}, {"poll", {exec_says({{"status", "running"}})}}});
  LinesClient agent(world_);
  const auto begun = Clock::now();
  const json::object result =
      agent.result(agent.send({.command = "sleep 1000", .timeout = 2}), kLong);
  EXPECT_GE(Clock::now() - begun, std::chrono::seconds(12));
  EXPECT_EQ(output_of(result), "Managed Modal exec timed out after 2s");
  EXPECT_EQ(code_of(result), 124);
  EXPECT_EQ(count("cancel"), 1u);
  EXPECT_EQ(asked("start").at(0).at("body").at("timeoutMs").as_int64(), 2000);
}

TEST_F(ManagedTest, ATimeoutAtTheGatewayBringsWhatWasPrinted) {
  serve();
  LinesClient agent(world_);
  const json::object result =
      agent.result(agent.send({.command = "echo so far; sleep 1000", .timeout = 1}), kLong);
  EXPECT_EQ(output_of(result), "so far\n\n[Command timed out after 1s]");
  EXPECT_EQ(code_of(result), 124);
}

// The result of a tool has the protocol's words and 1. For a person's shell that would be a command
// that ended with 1.
TEST_F(ManagedTest, WhereTheGatewayFailsExecExits125AndPrintsNothing) {
  serve({{"start", {goes_on()}}, {"poll", {{{"status", 404}, {"json", {{"error", "no"}}}}}}});
  const Finished done = world_.run({"exec", "true"});
  EXPECT_EQ(done.code(), 125);
  EXPECT_EQ(done.out, "");
  EXPECT_THAT(done.err, HasSubstr("Managed Modal exec not found"));
}

TEST_F(ManagedTest, AnExecThatIsNotThereIsSaid) {
  serve({{"start", {goes_on()}}, {"poll", {{{"status", 404}, {"json", {{"error", "no"}}}}}}});
  const json::object result = run("true");
  EXPECT_EQ(output_of(result), "Managed Modal exec not found");
  EXPECT_EQ(code_of(result), 1);
}

TEST_F(ManagedTest, CredentialFilesRefuseItBeforeAnybodyIsAsked) {
  serve();
  std::ofstream(world_.directory("home") + "/token.json") << "{}";
  std::ofstream(world_.path("home/config.yaml")) << "terminal:\n  credential_files: [token.json]\n";
  const json::object result = run("true");
  EXPECT_THAT(error_of(result),
              HasSubstr("Managed Modal does not support host credential-file passthrough. Use "
                        "TERMINAL_MODAL_MODE=direct when skills or config require credential files "
                        "inside the sandbox."));
  EXPECT_TRUE(asked().empty());
}

TEST_F(ManagedTest, APollThatGetsNoAnswerIsRepeated) {
  world_.set("TERMINAL_MANAGED_MODAL_POLL_READ_TIMEOUT_SECONDS", "0.3");
  serve({{"start", {goes_on()}},
         {"poll",
          {{{"hang", true}},
           {{"drop", true}},
           {{"status", 503}, {"text", "busy"}},
           exec_says({{"status", "completed"}, {"output", "there"}, {"returncode", 0}})}}});
  const json::object result = run("true");
  EXPECT_EQ(output_of(result), "there");
  EXPECT_EQ(code_of(result), 0);
  EXPECT_EQ(count("start"), 1u);
  EXPECT_EQ(count("cancel"), 0u);
}

TEST_F(ManagedTest, AGatewayThatStaysBusyIsGivenUpAndTheExecCancelled) {
  serve({{"start", {goes_on()}}, {"poll", {{{"status", 503}, {"text", ""}}}}});
  const json::object result = run("true");
  EXPECT_EQ(output_of(result), "Managed Modal exec poll failed: HTTP 503");
  EXPECT_EQ(code_of(result), 1);
  EXPECT_EQ(count("cancel"), 1u);
}

TEST_F(ManagedTest, AnswersThatMakeNoSenseAreACleanFailure) {
  struct Case {
    const char* name;
    json::object script;
    std::string says;
  };
  const json::object page{{"status", 200}, {"text", "<html>sign in</html>"}};
  const json::object nothing = exec_says({{"status", "completed"}, {"output", nullptr}});
  const std::vector<Case> cases{
      {"start is no JSON", {{"start", {page}}}, "Managed Modal exec failed: "},
      {"poll is no JSON", {{"start", {goes_on()}}, {"poll", {page}}}, "exec poll failed: "},
      {"start without output", {{"start", {nothing}}}, "Managed Modal exec failed: "},
      {"poll without output", {{"start", {goes_on()}}, {"poll", {nothing}}}, "exec poll failed: "},
      {"start of another",
       {{"start", {{{"status", 202}, {"json", {{"execId", "x"}}}}}}},
       "Managed Modal exec start did not return the expected exec id"},
  };
  for (const Case& one : cases) {
    const std::size_t before = count("start");
    serve(one.script);
    const json::object result = run("true");
    EXPECT_THAT(output_of(result), HasSubstr(one.says)) << one.name;
    EXPECT_EQ(code_of(result), 1) << one.name;
    EXPECT_EQ(count("start"), before + 1) << one.name;
  }
}

TEST_F(ManagedTest, ErrorsSayWhatTheGatewaySaid) {
  const std::vector<std::pair<json::object, std::string>> cases{
      {{{"json", {{"error", {{"code", "CONFLICT"}, {"message", "ü"}}}}}},
       "{\"error\": {\"code\": \"CONFLICT\", \"message\": \"ü\"}}"},
      {{{"json", {{"message", "m"}}}}, "m"},
      {{{"json", {{"error", ""}, {"code", "BUSY"}}}}, "BUSY"},
      {{{"text", " plain words\n"}}, "plain words"},
      {{{"text", ""}}, "HTTP 503"},
  };
  for (auto [answer, says] : cases) {
    answer["status"] = 503;
    serve({{"start", {answer}}});
    const json::object result = run("true");
    EXPECT_EQ(output_of(result), "Managed Modal exec failed: " + says);
    EXPECT_EQ(code_of(result), 1);
  }
  EXPECT_EQ(count("cancel"), 0u) << "what was refused does not run";
}

TEST_F(ManagedTest, AnOriginMayEndWithSlashes) {
  serve();
  world_.set("MODAL_GATEWAY_URL", "http://127.0.0.1:" + trim_end(gateway_->out()) + "//");
  EXPECT_EQ(output_of(run("echo hi")), "hi");
  for (const json::object& request : asked()) EXPECT_THAT(path(request), StartsWith("/v1/"));
}

TEST_F(ManagedTest, EveryRequestSaysWhoAsks) {
  serve();
  EXPECT_EQ(output_of(run("echo hi")), "hi");
  for (const json::object& request : asked()) {
    EXPECT_EQ(header(request, "authorization"), std::string("Bearer ") + kToken);
    EXPECT_EQ(header(request, "content-type"), "application/json");
  }
  const json::object made = asked("create").at(0);
  EXPECT_EQ(header(made, "x-idempotency-key").size(), 36u);
  const json::object& body = made.at("body").as_object();
  EXPECT_EQ(body.at("cwd").as_string(), world_.path("work"));
  EXPECT_EQ(body.at("cpu"), json::value(1));
  EXPECT_EQ(body.at("memoryMiB"), json::value(5120));
  EXPECT_EQ(body.at("timeoutMs"), json::value(3'600'000));
  EXPECT_EQ(body.at("idleTimeoutMs"), json::value(300'000));
  EXPECT_EQ(body.at("persistentFilesystem"), json::value(true));
  EXPECT_EQ(body.at("logicalKey"), json::value("default"));
  EXPECT_FALSE(body.contains("diskMiB"));
}

// It outlives the program that had it made, as everything does that is made at a target.
TEST_F(ManagedTest, TheNextProgramFindsTheSandboxAgain) {
  serve();
  EXPECT_EQ(output_of(run("cd /; echo hi")), "hi");
  EXPECT_EQ(output_of(run("pwd")), "/");
  EXPECT_EQ(count("create"), 1u);
  world_.set("TOOL_GATEWAY_USER_TOKEN", "somebody-else");
  EXPECT_EQ(output_of(run("echo hi")), "hi");
  EXPECT_EQ(count("create"), 2u) << "whose it is counts";
}

TEST_F(ManagedTest, ASandboxThatIsRemovedIsTerminatedWithASnapshot) {
  serve();
  run("true");
  const Finished removed = world_.run({"env", "rm", "default", "--yes"});
  EXPECT_EQ(removed.code(), 0) << removed.err;
  ASSERT_EQ(count("terminate"), 1u);
  EXPECT_EQ(path(asked("terminate").at(0)), "/v1/sandboxes/sb-1/terminate");
  EXPECT_EQ(asked("terminate").at(0).at("body").at("snapshotBeforeTerminate"), json::value(true));
  run("true");
  EXPECT_EQ(count("create"), 2u);
}

TEST_F(ManagedTest, ASandboxThatTheGatewayEndedIsReplaced) {
  serve({{"create", {{{"status", 200}, {"json", {{"id", "old"}}}}, {{"real", true}}}},
         {"start",
          {{{"real", true}}, {{"status", 404}, {"json", {{"error", "gone"}}}}, {{"real", true}}}}});
  LinesClient agent(world_);
  EXPECT_EQ(output_of(agent.run("echo one")), "one");
  const json::object result = agent.run("echo two");
  EXPECT_EQ(output_of(result), "two");
  EXPECT_THAT(notices_of(result), HasSubstr("The sandbox old is gone"));
  EXPECT_EQ(count("create"), 2u);
}

TEST_F(ManagedTest, OneConnectionServesOneCommandAfterTheOther) {
  serve();
  LinesClient agent(world_);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(output_of(agent.run("echo hi")), "hi");
  for (const json::object& request : asked()) EXPECT_EQ(request.at("connection"), json::value(1));
}

// A kept connection that the server closes, or that breaks under a request, costs nothing; and what
// may have been received is not run a second time.
TEST_F(ManagedTest, AConnectionThatBreaksIsReplacedAndNothingRunsTwice) {
  serve({{"start",
          {{{"real", true}},
           {{"drop_after", true}},
           {{"real", true}, {"close", true}},
           {{"real", true}}}}});
  LinesClient agent(world_);
  for (int i = 0; i < 5; ++i) {
    const json::object result = agent.run("echo x >>" + world_.path("ran"));
    EXPECT_EQ(code_of(result), 0) << output_of(result);
  }
  EXPECT_EQ(world_.read("ran"), "x\nx\nx\nx\nx\n");
}

TEST_F(ManagedTest, AGatewayThatIsNotThereIsNamedAndNothingRunsHere) {
  world_.set("MODAL_GATEWAY_URL", "http://127.0.0.1:1");
  const json::object result = run("echo here >" + world_.path("ran"));
  EXPECT_THAT(error_of(result), HasSubstr("Managed Modal create failed: 127.0.0.1"));
  EXPECT_EQ(world_.read("ran"), "");
}

TEST_F(ManagedTest, WithoutATokenItSaysWhatIsMissing) {
  serve();
  world_.set("TOOL_GATEWAY_USER_TOKEN", " ");
  EXPECT_THAT(error_of(run("true")),
              HasSubstr("Managed Modal requires a configured tool gateway and Nous user token"));
  EXPECT_TRUE(asked().empty());
}

TEST_F(ManagedTest, TheAgentsOwnTokenServesToo) {
  serve();
  world_.set("TOOL_GATEWAY_USER_TOKEN", "");
  std::ofstream(world_.directory("home") + "/auth.json")
      << R"({"providers": {"nous": {"access_token": " from-the-file "}}})";
  EXPECT_EQ(output_of(run("echo hi")), "hi");
  EXPECT_EQ(header(asked().at(0), "authorization"), "Bearer from-the-file");
}

// Tokens of that file live for an hour or so, and the agent renews them.
TEST_F(ManagedTest, ATokenThatWasRenewedInTheFileIsReadAgainWhenTheOldOneDoesNotCount) {
  const json::object refused{{"status", 401}, {"json", {{"error", "who are you?"}}}};
  const json::object real{{"real", true}};
  serve({{"start", {real, refused, real, refused}}});
  world_.set("TOOL_GATEWAY_USER_TOKEN", "");
  const std::string file = world_.directory("home") + "/auth.json";
  std::ofstream(file) << R"({"providers": {"nous": {"access_token": "first"}}})";
  LinesClient agent(world_);
  EXPECT_EQ(output_of(agent.run("echo one")), "one");
  std::ofstream(file) << R"({"providers": {"nous": {"access_token": "second"}}})";
  EXPECT_EQ(output_of(agent.run("echo two")), "two");
  const auto starts = asked("start");
  ASSERT_EQ(starts.size(), 3u);
  EXPECT_EQ(header(starts[1], "authorization"), "Bearer first");
  EXPECT_EQ(header(starts[2], "authorization"), "Bearer second");
  EXPECT_EQ(output_of(agent.run("echo three")), "Managed Modal exec failed: who are you?")
      << "the file has nothing newer: it is asked once";
  EXPECT_EQ(count("start"), 4u);
}

TEST_F(ManagedTest, ModalGoesThroughTheGatewayIfItMay) {
  serve();
  world_.set("TERMINAL_ENV", "modal");
  for (const char* mode : {"managed", "auto", " Managed "}) {
    world_.set("TERMINAL_MODAL_MODE", mode);
    const json::object result = run("echo hi");
    EXPECT_EQ(output_of(result), "hi") << mode;
    EXPECT_EQ(result.at("target").as_string(), "modal");
  }
  world_.set("TERMINAL_MODAL_MODE", "direct");
  EXPECT_THAT(error_of(run("true")), HasSubstr("Modal: no credentials were found"));
  world_.set("TERMINAL_MODAL_MODE", "auto");
  world_.set("TOOL_GATEWAY_USER_TOKEN", "");
  const std::string neither = error_of(run("true"));
  EXPECT_THAT(neither, HasSubstr("Set MODAL_TOKEN_ID and MODAL_TOKEN_SECRET"));
  EXPECT_THAT(neither, HasSubstr("Or set TOOL_GATEWAY_USER_TOKEN to use a gateway"));
}

TEST_F(ManagedTest, AnOddSchemeIsRefused) {
  world_.set("TOOL_GATEWAY_SCHEME", "ftp");
  EXPECT_THAT(error_of(run("true")), HasSubstr("TOOL_GATEWAY_SCHEME must be 'http' or 'https'"));
}

// A gateway that says nothing about it is not isolated: what is dangerous is asked about.
TEST_F(ManagedTest, WhatAGatewayDeclaresCountsForDangerousCommands) {
  const std::string command = "git reset --hard";
  world_.set("TALARIA_APPROVALS_HEADLESS", "deny");
  serve();
  LinesClient unsaid(world_);
  const json::object refused = unsaid.result(unsaid.send({.command = command, .force = false}));
  EXPECT_EQ(count("start"), 0u);
  EXPECT_EQ(refused.at("status").as_string(), "blocked");
  serve({{"create", {{{"status", 201}, {"json", {{"id", "sb-2"}, {"isolated", true}}}}}},
         {"start", {exec_says({{"status", "completed"}, {"output", "done"}, {"returncode", 0}})}}});
  LinesClient isolated(world_);
  EXPECT_EQ(output_of(isolated.result(isolated.send({.command = command, .force = false}))),
            "done");
}

}  // namespace
}  // namespace talaria::test
