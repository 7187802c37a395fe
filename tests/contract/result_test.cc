// Every shape a terminal call in the foreground is answered in, word for word: which fields there
// are, and what they say.
#include <csignal>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "support/talaria_test.h"

namespace talaria::test {
namespace {

struct Shape {
  const char* name;
  const char* arguments;
  const char* answer;                 // without target, transport and duration_ms
  const char* variable = "UNUSED=1";  // of the agent's environment
};

void PrintTo(const Shape& row, std::ostream* out) { *out << row.name; }

constexpr Shape kShapes[] = {
    {"Done", R"({"command":"echo hi"})", R"({"output":"hi","exit_code":0,"error":null})"},
    {"AFailureIsNoError", R"({"command":"echo no; exit 3"})",
     R"({"output":"no","exit_code":3,"error":null})"},
    {"AnExitCodeThatMeansSomething", R"({"command":"grep x /dev/null"})",
     R"j({"output":"","exit_code":1,"error":null,"exit_code_meaning":"No matches found (not an error)"})j"},
    {"ATimeout", R"({"command":"sleep 300","timeout":1})",
     R"({"output":"[Command timed out after 1s]","exit_code":124,"error":null})"},
    {"NoCommand", R"({})",
     R"({"output":"","exit_code":-1,"error":"Invalid command: expected string, got nothing",
         "status":"error"})"},
    {"ACommandThatIsNoText", R"({"command":["ls"]})",
     R"({"output":"","exit_code":-1,"error":"Invalid command: expected string, got list",
         "status":"error"})"},
    {"ATimeoutOverTheCap", R"({"command":"true","timeout":601})",
     R"({"error":"Foreground timeout 601s exceeds the maximum of 600s. Use background=true with )"
     R"(notify_on_complete=true for long-running commands."})"},
    {"Wrappers", R"({"command":"nohup sleep 300"})",
     R"({"output":"","exit_code":-1,"error":"Foreground command uses shell-level background )"
     R"(wrappers (nohup/disown/setsid). Use terminal(background=true) so Hermes can track the )"
     R"(process, then run readiness checks and tests in separate commands.","status":"error"})"},
    {"Ampersand", R"({"command":"sleep 300 &"})",
     R"({"output":"","exit_code":-1,"error":"Foreground command uses '&' backgrounding. Use )"
     R"(terminal(background=true) for long-lived processes, then run health checks and tests in )"
     R"(follow-up terminal calls.","status":"error"})"},
    {"Server", R"({"command":"pnpm dev"})",
     R"({"output":"","exit_code":-1,"error":"This foreground command appears to start a )"
     R"(long-lived server/watch process. Run it with background=true, verify readiness (health )"
     R"(endpoint/log signal), then execute tests in a separate command.","status":"error"})"},
    {"AWorkdirThatLooksLikeShellText", R"({"command":"true","workdir":"/tmp;x"})",
     R"({"output":"","exit_code":-1,"error":"Blocked: workdir contains disallowed character ';'. )"
     R"(Use a simple filesystem path without shell metacharacters.","status":"blocked"})"},
    {"AWorkdirThatEndsInANewline", R"({"command":"true","workdir":"/tmp\n"})",
     R"({"output":"","exit_code":-1,"error":"Blocked: workdir contains disallowed character '\\n'. )"
     R"(Use a simple filesystem path without shell metacharacters.","status":"blocked"})"},
    {"AnUnknownTarget", R"({"command":"true"})",
     R"({"output":"","exit_code":-1,"error":"Failed to execute command: Unknown TERMINAL_ENV )"
     R"('dokcer'. Use one of: local, docker, podman, singularity, ssh, carrier, managed, modal, daytona.","status":"error"})",
     "TERMINAL_ENV=dokcer"},
    {"ATargetWithoutItsAccount", R"({"command":"true"})",
     R"({"output":"","exit_code":-1,"error":"Failed to execute command: Daytona requires )"
     R"(DAYTONA_API_KEY: create a key at https://app.daytona.io/dashboard/keys and set it in the )"
     R"(environment or in <home>/.env","status":"error"})",
     "TERMINAL_ENV=daytona"},
    {"AConfigurationThatMakesNoSense", R"({"command":"true"})",
     R"({"output":"","exit_code":-1,"error":"Failed to execute command: Invalid value for )"
     R"(TERMINAL_TIMEOUT: 'soon' (expected integer, or a time such as 90s, 5m or 2h). Check ~/.hermes/.env or environment )"
     R"(variables.","status":"error"})",
     "TERMINAL_TIMEOUT=soon"},
    {"ANulByte", R"({"command":"echo a\u0000b"})",
     R"({"output":"","exit_code":-1,"error":"Invalid command: it contains a NUL byte at offset 6, )"
     R"(which no shell command can hold. Write it as an escape, for example with printf.",)"
     R"("status":"error"})"},
    // T-124: an empty value once made every call fail.
    {"AnEmptySettingSaysNothing", R"({"command":"echo hi"})",
     R"({"output":"hi","exit_code":0,"error":null})", "TERMINAL_TIMEOUT="},
};

class ResultShape : public TalariaTest, public testing::WithParamInterface<Shape> {
 protected:
  json::object call(const std::string& arguments) {
    LinesClient agent(world_);
    agent.send_line(R"({"id":1,"tool":"terminal","args":)" + arguments + "}");
    return agent.result(1);
  }
};

TEST_P(ResultShape, Is) {
  const std::string variable = GetParam().variable;
  const std::size_t equals = variable.find('=');
  world_.set(variable.substr(0, equals), variable.substr(equals + 1));
  json::object result = call(GetParam().arguments);
  // All that has an exit code says where it went and how long it took; what ran, over what.
  if (const json::value* code = result.if_contains("exit_code")) {
    EXPECT_TRUE(result.at("target").is_string());
    EXPECT_TRUE(result.at("duration_ms").is_int64());
    EXPECT_EQ(result.at("transport").is_null(), *code == -1);
    for (const char* name : {"target", "duration_ms", "transport"}) result.erase(name);
  }
  EXPECT_EQ(json::value(result), json::parse(GetParam().answer)) << json::serialize(result);
}

INSTANTIATE_TEST_SUITE_P(Terminal, ResultShape, testing::ValuesIn(kShapes),
                         [](const auto& info) { return std::string(info.param.name); });

class ResultTest : public TalariaTest {};

TEST_F(ResultTest, TheCapIsNotForTheBackground) {
  LinesClient agent(world_);
  const json::object result = agent.start("true", {{"timeout", 9999}});
  EXPECT_TRUE(result.at("error").is_null());
  EXPECT_TRUE(result.contains("session_id"));
}

TEST_F(ResultTest, TextOfAnyScriptIsWrittenAsItIs) {
  EXPECT_TRUE(world_.run({"call", "terminal", R"({"command":"echo héllo 日本"})"})
                  .out.starts_with(R"({"output":"héllo 日本")"));
}

// What is refused makes no environment: there is not even a directory for one.
TEST_F(ResultTest, ARefusedCallStartsNothing) {
  LinesClient agent(world_);
  for (const char* arguments :
       {R"({"command":7})", R"({"command":"true","timeout":601})", R"({"command":"pnpm dev"})",
        R"({"command":"true","workdir":"$HOME"})"}) {
    agent.send_line(std::string(R"({"id":1,"tool":"terminal","args":)") + arguments + "}");
    EXPECT_NE(error_of(agent.result(1)), "") << arguments;
  }
  EXPECT_FALSE(std::filesystem::exists(world_.runner_directory()));
}

class InterruptTraceTest : public TalariaTest {};

TEST_F(InterruptTraceTest, TellsOfWaitsOnStandardErrorOnlyWhenAsked) {
  const std::vector<std::string> call{"call", "terminal", R"({"command":"true"})"};
  EXPECT_EQ(world_.run(call).err, "");
  world_.set("HERMES_DEBUG_INTERRUPT", "1");
  const std::string told = world_.run(call).err;
  EXPECT_EQ(told.find("talaria: interrupt trace: task default waits for its command\n"), 0u)
      << told;
  EXPECT_NE(told.find("task default has its answer after "), std::string::npos) << told;
}

TEST_F(InterruptTraceTest, TellsOfAnInterrupt) {
  world_.set("HERMES_DEBUG_INTERRUPT", "1");
  const auto program =
      world_.start({"call", "terminal", R"({"command":"echo on > ../on; sleep 60"})"});
  EXPECT_TRUE(appears("on"));
  program->kill(SIGINT);
  program->wait();
  EXPECT_NE(program->err().find("task default was interrupted after "), std::string::npos)
      << program->err();
}

}  // namespace
}  // namespace talaria::test
