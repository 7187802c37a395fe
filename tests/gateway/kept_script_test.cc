// Scripts of MCP clients that continue after their call, when the gateway ends.
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>

#include "gateway/gateway_test.h"

namespace talaria::test {
namespace {

using testing::HasSubstr;

class GatewayKeptScriptTest : public GatewayTest {
 protected:
  static std::map<std::string, std::string> headers(const std::string& tool,
                                                    const std::string& accept) {
    return {{"Content-Type", "application/json"},
            {"Accept", accept},
            {"MCP-Protocol-Version", "2026-07-28"},
            {"Mcp-Method", "tools/call"},
            {"Mcp-Name", tool}};
  }
  static std::string request(const std::string& tool, const json::object& arguments,
                             json::object meta = {}) {
    meta["io.modelcontextprotocol/protocolVersion"] = "2026-07-28";
    meta["io.modelcontextprotocol/clientCapabilities"] = json::object();
    return body({{"jsonrpc", "2.0"},
                 {"id", 1},
                 {"method", "tools/call"},
                 {"params", {{"name", tool}, {"arguments", arguments}, {"_meta", meta}}}});
  }
  // By the client with that token; "": the usual one.
  json::object call(const std::string& tool, const json::object& arguments,
                    const std::string& token = "") const {
    HttpTestClient http = client();
    if (!token.empty()) http.token = token;
    const HttpAnswer answer =
        http.post("/mcp", request(tool, arguments), headers(tool, "application/json"));
    EXPECT_EQ(answer.status, 200) << answer.body;
    return answer.json().at("result").at("structuredContent").as_object();
  }
  json::object look(const std::string& action, const std::string& id,
                    const std::string& token = "") const {
    return call("process", {{"action", action}, {"session_id", id}}, token);
  }
  static std::string status(const json::object& answer) {
    const json::value* found = answer.if_contains("status");
    return found ? std::string(found->as_string()) : json::serialize(answer);
  }

  // Writes its process id, prints, and waits for the file `go`, then calls a tool.
  std::string script() const {
    return "import os, time\nfrom hermes_tools import terminal\n"
           "open('" +
           world_.path("script") +
           "', 'w').write(f'{os.getpid()}\\n')\n"
           "print('so far', flush=True)\nwhile not os.path.exists('" +
           world_.path("go") + "'):\n  time.sleep(0.01)\nprint(terminal('echo from the tool'))\n";
  }
  // One that outlives its call.
  std::string start() {
    const json::object kept = call("execute_code", {{"code", script()}, {"yield_ms", 200}});
    EXPECT_EQ(status(kept), "running") << json::serialize(kept);
    return kept.contains("session_id") ? std::string(kept.at("session_id").as_string()) : "";
  }

  // The process that runs the scripts of the gateway.
  std::optional<ProcessName> keeper() const {
    const std::string own = std::to_string(gateway_->pid());
    std::ifstream children("/proc/" + own + "/task/" + own + "/children");
    for (pid_t pid = 0; children >> pid;) {
      std::ifstream file("/proc/" + std::to_string(pid) + "/cmdline");
      std::stringstream words;
      words << file.rdbuf();
      if (words.str().contains("keep-scripts")) return name_process(pid);
    }
    return std::nullopt;
  }
  static bool ends(const ProcessName& process) {
    return eventually([&] { return !is_alive(process); });
  }
};

// It ended with the gateway.
TEST_F(GatewayKeptScriptTest, ItOutlivesTheGatewayAndTheNextOneHasItsAnswer) {
  const std::string stranger = new_token("stranger");
  for (const bool killed : {false, true}) {
    SCOPED_TRACE(killed);
    start_gateway();
    const pid_t gateway = gateway_->pid();
    const std::string id = start();
    const auto first = keeper();
    ASSERT_TRUE(first);
    EXPECT_NE(first->pid, gateway);
    killed ? kill_gateway() : stop_gateway();

    start_gateway();
    EXPECT_EQ(status(look("poll", id)), "running");
    for (const char* action : {"poll", "kill"}) {
      EXPECT_EQ(status(look(action, id, stranger)), "not_found");
    }
    EXPECT_TRUE(is_alive(*first));
    std::ofstream(world_.path("go")) << "now";
    const json::object ended = look("wait", id);
    EXPECT_EQ(status(ended), "success") << json::serialize(ended);
    EXPECT_THAT(json::serialize(ended), HasSubstr("from the tool"));
    EXPECT_EQ(look("wait", id), ended);
    EXPECT_EQ(status(look("wait", id, stranger)), "not_found");
    EXPECT_TRUE(ends(*first)) << "its last script has ended";
    EXPECT_FALSE(keeper()) << "the next gateway has run no script";
    ASSERT_EQ(std::remove(world_.path("go").c_str()), 0);
    stop_gateway();
  }
}

TEST_F(GatewayKeptScriptTest, TheNextGatewayEndsIt) {
  start_gateway();
  const std::string id = start();
  const auto first = keeper();
  ASSERT_TRUE(first);
  const ProcessName running = process_in("script");
  kill_gateway();
  start_gateway();
  EXPECT_EQ(status(look("kill", id)), "interrupted");
  EXPECT_TRUE(ends(running));
  EXPECT_TRUE(ends(*first));
}

TEST_F(GatewayKeptScriptTest, TheKeeperComesWithTheFirstScriptAndGoesWithTheGateway) {
  start_gateway();
  EXPECT_EQ(status(look("poll", "call_none")), "not_found");
  call("terminal", {{"command", "true"}});
  EXPECT_FALSE(keeper());
  call("execute_code", {{"code", "print(1)"}});
  const auto first = keeper();
  ASSERT_TRUE(first);
  call("execute_code", {{"code", "print(2)"}});
  EXPECT_EQ(keeper()->pid, first->pid);
  stop_gateway();
  EXPECT_TRUE(ends(*first));
}

TEST_F(GatewayKeptScriptTest, WhileTheGatewayLivesItsAnswerAndItsEndComeAsBefore) {
  start_gateway();
  const std::string id = start();
  EXPECT_EQ(status(look("poll", id)), "running");
  EXPECT_EQ(status(look("kill", id)), "interrupted");
  const std::string another = start();
  std::ofstream(world_.path("go")) << "now";
  EXPECT_THAT(json::serialize(look("wait", another)), HasSubstr("from the tool"));
}

// A call that its client leaves is ended, also in the keeper; what its script printed is progress.
TEST_F(GatewayKeptScriptTest, AClientThatLeavesEndsItsScript) {
  start_gateway();
  HttpTestClient http = client();
  const std::string wanted =
      request("execute_code", {{"code", script()}, {"yield_ms", 60'000}}, {{"progressToken", 1}});
  ASSERT_TRUE(http.send(http.request(
      "POST", "/mcp", wanted, headers("execute_code", "application/json, text/event-stream"))));
  EXPECT_THAT(http.receive_until("so far"), HasSubstr("so far"));
  const ProcessName running = process_in("script");
  EXPECT_TRUE(is_alive(running));
  http.close();
  EXPECT_TRUE(ends(running));
  EXPECT_TRUE(keeper()) << "it stays for the next script";
}

TEST_F(GatewayKeptScriptTest, AScriptThatAClientWaitsForEndsWithTheGateway) {
  for (const bool killed : {false, true}) {
    SCOPED_TRACE(killed);
    std::remove(world_.path("script").c_str());
    start_gateway();
    HttpTestClient http = client();
    ASSERT_TRUE(http.send(http.request(
        "POST", "/mcp", request("execute_code", {{"code", script()}, {"yield_ms", 60'000}}),
        headers("execute_code", "application/json"))));
    const ProcessName running = process_in("script");
    ASSERT_TRUE(is_alive(running));
    const auto first = keeper();
    ASSERT_TRUE(first);
    killed ? kill_gateway() : stop_gateway();
    EXPECT_TRUE(ends(running));
    EXPECT_TRUE(ends(*first));
  }
}

TEST_F(GatewayKeptScriptTest, WithItsKeeperKilledItIsLostAndTheNextScriptRuns) {
  start_gateway();
  const std::string id = start();
  const auto first = keeper();
  ASSERT_TRUE(first);
  ASSERT_EQ(::kill(first->pid, SIGKILL), 0);
  EXPECT_TRUE(eventually([&] { return !keeper(); })) << "it is reaped";
  EXPECT_EQ(status(look("wait", id)), "lost");
  EXPECT_EQ(status(call("execute_code", {{"code", "print(1)"}})), "success");
}

// The question comes from the keeper, and the answer goes there.
TEST_F(GatewayKeptScriptTest, AScriptThatNeedsApprovalRunsOnceItIsApproved) {
  world_.set("HERMES_YOLO_MODE", "0");
  start_gateway();
  const std::string file = world_.directory("user") + "/file";
  std::ofstream(file) << "x";
  const json::object code{
      {"code", "import os; os.system('chmod 777 " + file + "'); print('done')"}};
  const json::object asked = call("execute_code", code);
  EXPECT_THAT(json::serialize(asked), HasSubstr("talaria approve"));
  EXPECT_EQ(world_.run({"approve"}).code(), 0);
  EXPECT_THAT(json::serialize(call("execute_code", code)), HasSubstr("done"));
  EXPECT_EQ(std::filesystem::status(file).permissions(), std::filesystem::perms::all);
}

}  // namespace
}  // namespace talaria::test
