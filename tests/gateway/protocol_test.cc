// What the clients of Hermes need of a gateway. The traps by their numbers.
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "gateway/gateway_test.h"

namespace talaria::test {
namespace {

namespace fs = std::filesystem;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

class GatewayProtocolTest : public GatewayTest {
 protected:
  GatewayProtocolTest() { start_gateway(); }
};

TEST_F(GatewayProtocolTest, ACommandRunsInADirectoryOfItsOwnWithItsHomeThere) {
  HttpTestClient http = client();
  const std::string sandbox = create(http, {{"cwd", "/root"}, {"image", "debian"}});
  const json::object ended =
      run(http, sandbox, "one", "echo out; echo err >&2; [ \"$PWD\" = \"$HOME\" ] && echo same");
  EXPECT_EQ(ended.at("status").as_string(), "completed");
  EXPECT_EQ(ended.at("output").as_string(), "out\nerr\nsame\n");
  EXPECT_EQ(ended.at("returncode").as_int64(), 0);
  EXPECT_EQ(ended.at("execId").as_string(), "one");
  const std::string where(run(http, sandbox, "two", "pwd").at("output").as_string());
  EXPECT_THAT(where, HasSubstr(sandbox));
  // What the client calls its directory is the sandbox's.
  EXPECT_EQ(run(http, sandbox, "three", "pwd", {{"cwd", "/root"}}).at("output").as_string(), where);
}

TEST_F(GatewayProtocolTest, TheSameExecIdPostedTwiceAtOnceRunsOnce) {
  HttpTestClient http = client();
  const std::string sandbox = create(http);
  const std::string file = world_.path("count");
  const std::string wanted =
      body({{"execId", "twin"}, {"command", "echo once >> " + file + "; sleep 0.3; cat " + file}});
  HttpTestClient other = client();
  const std::string text = http.request("POST", execs(sandbox) + "?wait=20000", wanted);
  ASSERT_TRUE(http.send(text));
  ASSERT_TRUE(other.send(text));
  for (HttpTestClient* one : {&http, &other}) {
    const HttpAnswer answer = one->receive();
    ASSERT_EQ(answer.status, 200) << answer.body;
    EXPECT_EQ(answer.text("execId"), "twin");
    EXPECT_EQ(answer.text("output"), "once\n");
  }
  // And later, too.
  EXPECT_EQ(http.post(execs(sandbox), wanted).text("output"), "once\n");
  EXPECT_EQ(world_.read("count"), "once\n");
}

TEST_F(GatewayProtocolTest, TheSameIdempotencyKeyIsOneSandbox) {
  HttpTestClient http = client();
  const std::map<std::string, std::string> key{{"X-Idempotency-Key", "k-1"}};
  const HttpAnswer first = http.post("/v1/sandboxes", body({{"cpu", 2.0}}), key);
  const HttpAnswer again = http.post("/v1/sandboxes", body({{"cpu", 2}}), key);
  EXPECT_EQ(first.status, 201);
  EXPECT_EQ(again.status, 200) << again.body;
  EXPECT_EQ(first.text("id"), again.text("id"));
  EXPECT_EQ(http.get("/v1/sandboxes").json().at("sandboxes").as_array().size(), 1u);

  const HttpAnswer another = http.post("/v1/sandboxes", body({{"cpu", 4}}), key);
  EXPECT_EQ(another.status, 409);
  EXPECT_THAT(another.text("error"), HasSubstr("idempotency key"));
  // It is its user's alone.
  HttpTestClient stranger = client();
  stranger.token = new_token("stranger");
  EXPECT_EQ(stranger.post("/v1/sandboxes", body({{"cpu", 2}}), key).status, 201);
}

TEST_F(GatewayProtocolTest, ASnapshotIsFoundByItsLogicalKeyAndReplacedOnlyByTheNext) {
  HttpTestClient http = client();
  const json::object wanted{{"persistentFilesystem", true}, {"logicalKey", "task-7"}};
  const auto end = [&](const std::string& sandbox, bool snapshot) {
    const HttpAnswer answer = http.post("/v1/sandboxes/" + sandbox + "/terminate",
                                        body({{"snapshotBeforeTerminate", snapshot}}));
    EXPECT_EQ(answer.status, 200) << answer.body;
    EXPECT_EQ(answer.text("status"), "terminated");
    EXPECT_EQ(answer.text("snapshotError"), "");
  };
  const std::string first = create(http, wanted);
  run(http, first, "a", "mkdir d && echo kept > d/file && ln -s file d/link");
  end(first, true);

  const std::string second = create(http, wanted);
  EXPECT_EQ(run(http, second, "a", "cat d/link").at("output").as_string(), "kept\n");
  run(http, second, "b", "echo changed > d/file");
  end(second, false);

  const std::string third = create(http, wanted);
  EXPECT_EQ(run(http, third, "a", "cat d/file").at("output").as_string(), "kept\n");
  // Another user's, and another key's, begin empty.
  HttpTestClient stranger = client();
  stranger.token = new_token("stranger");
  EXPECT_EQ(run(stranger, create(stranger, wanted), "a", "ls").at("output").as_string(), "");
  const std::string fresh = create(http, {{"persistentFilesystem", true}, {"logicalKey", "x"}});
  EXPECT_EQ(run(http, fresh, "a", "ls").at("output").as_string(), "");
}

TEST_F(GatewayProtocolTest, CancelAfterCompletionChangesNothing) {
  HttpTestClient http = client();
  const std::string sandbox = create(http);
  const json::object ended = run(http, sandbox, "done", "echo result; exit 3");
  const HttpAnswer cancelled = http.post(execs(sandbox) + "/done/cancel");
  EXPECT_EQ(cancelled.status, 200);
  EXPECT_EQ(cancelled.json(), json::value(ended));
  EXPECT_EQ(http.get(execs(sandbox) + "/done").json(), json::value(ended));
}

TEST_F(GatewayProtocolTest, AnEmptyBodyWithAJsonTypeIsNoBadRequest) {
  HttpTestClient http = client();
  const HttpAnswer made = http.post("/v1/sandboxes", "");
  ASSERT_EQ(made.status, 201) << made.body;
  const std::string sandbox = made.text("id");
  const std::string exec = body({{"execId", "e"}, {"command", "sleep 60"}});
  EXPECT_EQ(http.post(execs(sandbox) + "?wait=0", exec).status, 202);
  EXPECT_EQ(http.get(execs(sandbox) + "/e").status, 200);
  EXPECT_EQ(http.post(execs(sandbox) + "/e/cancel", "").status, 202);
  EXPECT_EQ(http.post("/v1/sandboxes/" + sandbox + "/terminate", "").status, 200);
}

TEST_F(GatewayProtocolTest, AnotherUsersSandboxIsNotThere) {
  HttpTestClient http = client();
  const std::string sandbox = create(http);
  run(http, sandbox, "e", "true");
  HttpTestClient stranger = client();
  stranger.token = new_token("stranger");
  const std::string place = "/v1/sandboxes/" + sandbox;
  EXPECT_EQ(stranger.get(place).status, 404);
  EXPECT_EQ(stranger.get(place + "/execs").status, 404);
  EXPECT_EQ(stranger.get(place + "/execs/e").status, 404);
  EXPECT_EQ(stranger.get(place + "/execs/e/output").status, 404);
  for (const char* action : {"/execs/e/cancel", "/terminate"}) {
    EXPECT_EQ(stranger.post(place + action).status, 404) << action;
  }
  EXPECT_EQ(stranger.post(place + "/execs/e/stdin", body({{"data", "x"}})).status, 404);
  EXPECT_EQ(stranger.post(place + "/execs/e/signal", body({{"signal", "INT"}})).status, 404);
  EXPECT_EQ(stranger.post(place + "/execs", body({{"execId", "f"}, {"command", "true"}})).status,
            404);
  EXPECT_EQ(stranger.get("/v1/sandboxes").json().at("sandboxes").as_array().size(), 0u);
  // Two tokens of one user see the same.
  HttpTestClient second = client();
  second.token = new_token("second", {"--user", "tester"});
  EXPECT_EQ(second.get(place).status, 200);
}

TEST_F(GatewayProtocolTest, AnExitCodeIsACompletedExec) {
  HttpTestClient http = client();
  const std::string sandbox = create(http);
  const json::object seven = run(http, sandbox, "seven", "exit 7");
  EXPECT_EQ(seven.at("status").as_string(), "completed");
  EXPECT_EQ(seven.at("returncode").as_int64(), 7);
  EXPECT_EQ(seven.at("output").as_string(), "");
  const json::object killed = run(http, sandbox, "nine", "kill -9 $$");
  EXPECT_EQ(killed.at("status").as_string(), "completed");
  EXPECT_EQ(killed.at("returncode").as_int64(), -9);
  const json::object program = run(http, sandbox, "program", "sh -c 'kill -9 $$'");
  EXPECT_EQ(program.at("returncode").as_int64(), 137);
}

TEST_F(GatewayProtocolTest, WithoutATokenThatCountsTheAnswerIs401) {
  HttpTestClient http(port_);
  for (const char* said : {"", "Bearer", "Bearer nonsense", "Basic dTpw"}) {
    const HttpAnswer answer = http.ask("GET", "/v1/sandboxes", "", {{"Authorization", said}});
    EXPECT_EQ(answer.status, 401) << said;
    EXPECT_THAT(answer.text("error"), Not("")) << said;
    EXPECT_EQ(answer.headers.at("www-authenticate"), "Bearer");
  }
  std::string forged = token_;
  forged.back() = forged.back() == '0' ? '1' : '0';
  http.token = forged;
  EXPECT_EQ(http.get("/v1/sandboxes").status, 401);
  http.token = token_;
  EXPECT_EQ(http.get("/v1/sandboxes").status, 200);
  EXPECT_EQ(world_.run({"token", "revoke", "tester"}).code(), 0);
  EXPECT_EQ(http.get("/v1/sandboxes").status, 401) << "from the next request on";
}

TEST_F(GatewayProtocolTest, ATimeoutEndsTheTreeAndKeepsTheOutput) {
  HttpTestClient http = client();
  const std::string sandbox = create(http);
  const std::string pid = world_.path("pid");
  const json::object ended =
      run(http, sandbox, "slow", "echo begun; (echo $BASHPID > " + pid + "; sleep 300)",
          {{"timeoutMs", 700.0}});
  EXPECT_EQ(ended.at("status").as_string(), "timeout");
  EXPECT_EQ(ended.at("returncode").as_int64(), 124);
  EXPECT_EQ(ended.at("output").as_string(), "begun\n[Command timed out after 0.7s]");
  EXPECT_FALSE(name_process(std::stoi(world_.read("pid"))));
}

TEST_F(GatewayProtocolTest, ACancelIsToldAndEndsAs130) {
  HttpTestClient http = client();
  const std::string sandbox = create(http);
  const std::string started = world_.path("started");
  const std::string exec =
      body({{"execId", "long"}, {"command", "echo here; echo 1 > " + started + "; sleep 300"}});
  const HttpAnswer first = http.post(execs(sandbox) + "?wait=0", exec);
  EXPECT_EQ(first.status, 202);
  EXPECT_EQ(first.text("execId"), "long");
  ASSERT_TRUE(appears("started"));
  // The command may be faster than the news that it was started.
  EXPECT_TRUE(
      eventually([&] { return http.get(execs(sandbox) + "/long").text("status") == "running"; }));
  const HttpAnswer told = http.post(execs(sandbox) + "/long/cancel");
  EXPECT_EQ(told.status, 202);
  EXPECT_EQ(told.text("status"), "cancelling");
  const HttpAnswer ended = http.get(execs(sandbox) + "/long?wait=20000");
  EXPECT_EQ(ended.text("status"), "cancelled");
  EXPECT_EQ(ended.json().at("returncode").as_int64(), 130);
  EXPECT_EQ(ended.text("output"), "here\n");
  EXPECT_EQ(http.post(execs(sandbox) + "/long/cancel").status, 200);
  EXPECT_EQ(http.post(execs(sandbox) + "/never/cancel").status, 404);
}

TEST_F(GatewayProtocolTest, ATerminatedSandboxIsGoneWithAllThatRanInIt) {
  HttpTestClient http = client();
  const std::string sandbox = create(http);
  const std::string directory(http.get("/v1/sandboxes/" + sandbox).text("cwd"));
  run(http, sandbox, "child", "(echo $BASHPID > " + world_.path("pid") + "; exec sleep 300) &");
  const ProcessName child = process_in("pid");
  http.post(execs(sandbox) + "?wait=0", body({{"execId", "long"}, {"command", "sleep 300"}}));
  EXPECT_EQ(http.post("/v1/sandboxes/" + sandbox + "/terminate").text("status"), "terminated");
  EXPECT_FALSE(is_alive(child));
  EXPECT_FALSE(fs::exists(directory));
  EXPECT_EQ(http.get(execs(sandbox) + "/long").status, 404);
  EXPECT_EQ(http.get("/v1/sandboxes/" + sandbox).status, 404);
  EXPECT_EQ(http.post(execs(sandbox), body({{"execId", "x"}, {"command", "true"}})).status, 404);
  EXPECT_EQ(http.post("/v1/sandboxes/" + sandbox + "/terminate").status, 200) << "again";
  EXPECT_EQ(http.post("/v1/sandboxes/sbx_none/terminate").status, 404);
}

TEST_F(GatewayProtocolTest, InputIsGivenAndEndsAndWithoutOneThereIsNothingToRead) {
  HttpTestClient http = client();
  const std::string sandbox = create(http);
  EXPECT_EQ(run(http, sandbox, "none", "cat; echo end").at("output").as_string(), "end\n");
  EXPECT_EQ(run(http, sandbox, "text", "cat", {{"stdinData", "grüße\n"}}).at("output").as_string(),
            "grüße\n");
  EXPECT_EQ(run(http, sandbox, "empty", "wc -c", {{"stdinData", ""}}).at("output").as_string(),
            "0\n");
  const std::string large(3'000'000, 'x');
  EXPECT_EQ(run(http, sandbox, "large", "wc -c", {{"stdinData", large}}).at("output").as_string(),
            "3000000\n");
}

TEST_F(GatewayProtocolTest, MuchOutputKeepsItsBeginningAndItsLastLine) {
  HttpTestClient http = client();
  const std::string sandbox = create(http);
  const json::object ended = run(http, sandbox, "much",
                                 "echo first; head -c 5000000 /dev/zero | tr '\\0' x; printf "
                                 "'\\n__CWD_MARKER__/some/where__CWD_MARKER__\\n'");
  const std::string output(ended.at("output").as_string());
  EXPECT_TRUE(ended.at("truncated").as_bool());
  EXPECT_TRUE(output.starts_with("first\n"));
  EXPECT_THAT(output, EndsWith("x\n__CWD_MARKER__/some/where__CWD_MARKER__\n"));
  EXPECT_THAT(output, HasSubstr("bytes of output left out"));
  EXPECT_LT(output.size(), 1'100'000u);
  EXPECT_GT(ended.at("outputBytes").as_int64(), 5'000'000);
}

TEST_F(GatewayProtocolTest, OutputIsAlwaysUtf8) {
  HttpTestClient http = client();
  const std::string sandbox = create(http);
  EXPECT_EQ(run(http, sandbox, "bytes", "printf 'a\\377b\\303'").at("output").as_string(),
            "a\xEF\xBF\xBD"
            "b\xEF\xBF\xBD");
}

TEST_F(GatewayProtocolTest, AShellThatEndsIsTheEndThoughItsChildrenHoldTheOutput) {
  HttpTestClient http = client();
  const std::string sandbox = create(http);
  const auto begun = std::chrono::steady_clock::now();
  const json::object ended = run(http, sandbox, "fork", "sleep 300 & echo started");
  EXPECT_EQ(ended.at("output").as_string(), "started\n");
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(20));
}

TEST_F(GatewayProtocolTest, ADangerousCommandWaitsInTheQueueAndSaysWhy) {
  stop_gateway();
  world_.set("HERMES_YOLO_MODE", "0");
  world_.set("TALARIA_APPROVALS_HEADLESS", "queue");
  start_gateway();
  HttpTestClient http = client();
  const std::string sandbox = create(http);
  world_.directory("precious");
  const std::string command = "rm -rf " + world_.path("precious");
  // A wait ends when the question is there.
  const auto begun = std::chrono::steady_clock::now();
  const HttpAnswer first =
      http.post(execs(sandbox) + "?wait=30000", body({{"execId", "d"}, {"command", command}}));
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(15));
  EXPECT_EQ(first.status, 202) << first.body;
  EXPECT_EQ(first.text("status"), "queued");
  EXPECT_THAT(first.text("reason"), HasSubstr("waits for approval"));
  const std::string question = first.text("approvalId");
  // Who asks may not answer.
  EXPECT_EQ(http.post("/v1/approvals/" + question, body({{"answer", "once"}})).status, 403);
  HttpTestClient person = client();
  person.token = new_token("person", {"--approve", "--user", "tester"});
  const HttpAnswer open = person.get("/v1/approvals");
  EXPECT_EQ(open.json().at("approvals").as_array().size(), 1u) << open.body;
  EXPECT_EQ(person.post("/v1/approvals/" + question, body({{"answer", "once"}})).status, 200);
  EXPECT_EQ(http.get(execs(sandbox) + "/d?wait=20000").text("status"), "completed");
  EXPECT_FALSE(fs::exists(world_.path("precious")));

  const HttpAnswer second =
      http.post(execs(sandbox), body({{"execId", "e"}, {"command", command}}));
  EXPECT_EQ(
      person.post("/v1/approvals/" + second.text("approvalId"), body({{"answer", "deny"}})).status,
      200);
  const HttpAnswer refused = http.get(execs(sandbox) + "/e?wait=20000");
  EXPECT_EQ(refused.text("status"), "failed");
  EXPECT_EQ(refused.json().at("returncode").as_int64(), 126);
  EXPECT_THAT(refused.text("output"), Not(""));
}

TEST_F(GatewayProtocolTest, TheOperatorMayLetDangerousCommandsFailAtOnce) {
  stop_gateway();
  world_.set("HERMES_YOLO_MODE", "0");
  world_.set("TALARIA_APPROVALS_HEADLESS", "deny");
  start_gateway();
  HttpTestClient http = client();
  const json::object ended = run(http, create(http), "d", "rm -rf " + world_.path("precious"));
  EXPECT_EQ(ended.at("status").as_string(), "failed");
  EXPECT_EQ(ended.at("returncode").as_int64(), 126);
  EXPECT_THAT(std::string(ended.at("reason").as_string()), HasSubstr("approvals.headless: deny"));
}

TEST_F(GatewayProtocolTest, ParallelExecsDoNotWaitForEachOther) {
  HttpTestClient http = client();
  const std::string sandbox = create(http);
  const std::string fifo = world_.path("fifo");
  http.post(execs(sandbox) + "?wait=0",
            body({{"execId", "reader"}, {"command", "mkfifo " + fifo + " && cat " + fifo}}));
  ASSERT_TRUE(eventually([&] { return fs::exists(fifo); }));
  run(http, sandbox, "writer", "echo hello > " + fifo);
  EXPECT_EQ(http.get(execs(sandbox) + "/reader?wait=20000").text("output"), "hello\n");
}

TEST_F(GatewayProtocolTest, AnExecIdThatMakesNoSenseIsNotCalledMissing) {
  HttpTestClient http = client();
  const std::string sandbox = create(http);
  const auto flaw = [&](const json::object& fields) {
    return http.post(execs(sandbox), body(fields)).text("error");
  };
  EXPECT_THAT(flaw({{"execId", "a b"}, {"command", "true"}}), HasSubstr("execId is invalid"));
  EXPECT_THAT(flaw({{"command", "true"}}), HasSubstr("execId is required"));
}

class GatewayWishTest : public GatewayTest {};

TEST_F(GatewayWishTest, WhatNobodyHoldsASandboxToIsToldAsNull) {
  start_gateway();
  HttpTestClient http = client();
  const HttpAnswer made = http.post("/v1/sandboxes", body({{"cpu", 2.0}, {"memoryMiB", 5120}}));
  ASSERT_EQ(made.status, 201) << made.body;
  const json::object nothing{{"cpu", nullptr}, {"memoryMiB", nullptr}, {"diskMiB", nullptr}};
  EXPECT_EQ(made.json().at("limits"), nothing);
}

TEST_F(GatewayWishTest, MoreThanTheOperatorGivesIsRefusedByTheNameOfTheLimit) {
  world_.set("TALARIA_GATEWAY_MAX_CPU", "1.5");
  world_.set("TALARIA_GATEWAY_MAX_MEMORY", "1024");
  world_.set("TALARIA_GATEWAY_MAX_DISK", "2048");
  start_gateway();
  HttpTestClient http = client();
  const std::map<std::string, std::string> key{{"X-Idempotency-Key", "k"}};
  for (const auto& [field, most, name] :
       {std::tuple("cpu", 1.5, "1.5 at most (gateway.max_cpu)"),
        std::tuple("memoryMiB", 1024.0, "1024 at most (gateway.max_memory)"),
        std::tuple("diskMiB", 2048.0, "2048 at most (gateway.max_disk)")}) {
    const HttpAnswer more = http.post("/v1/sandboxes", body({{field, most + 1}}), key);
    EXPECT_EQ(more.status, 400) << field;
    EXPECT_THAT(more.text("error"), HasSubstr(name));
    EXPECT_EQ(http.post("/v1/sandboxes", body({{field, most}})).status, 201) << field;
  }
  EXPECT_EQ(http.post("/v1/sandboxes", "", key).status, 201) << "a refused one used no key";
}

TEST_F(GatewayWishTest, ImagesAreThoseOfTheOperatorAndOfTheToken) {
  world_.set("TALARIA_GATEWAY_IMAGES", R"(["python:3.*", "debian"])");
  start_gateway();
  HttpTestClient http = client();
  const auto status = [&](const std::string& image) {
    return http.post("/v1/sandboxes", body({{"image", image}})).status;
  };
  EXPECT_EQ(status("python:3.11"), 201);
  EXPECT_EQ(status("debian"), 201);
  EXPECT_EQ(status(""), 201) << "the configured one";
  EXPECT_EQ(status("debian:12"), 400);
  EXPECT_EQ(status("evil/python:3.11"), 400);
  EXPECT_THAT(http.post("/v1/sandboxes", body({{"image", "x"}})).text("error"),
              HasSubstr("gateway.images"));
  http.token = new_token("narrow", {"--only-image", "python:*"});
  EXPECT_EQ(status("python:3.11"), 201);
  EXPECT_EQ(status("debian"), 403);
  EXPECT_EQ(status("python:2"), 400) << "a token does not widen what the gateway allows";
}

}  // namespace
}  // namespace talaria::test
