#include <string>

#include <gtest/gtest.h>

#include "policy/guard/guard.h"
#include "policy/guard/run/inner.h"

namespace talaria::guard {
namespace {

std::string_view call_answer(std::string_view command) {
  return answer_name(judge(command, {.home = "/home/alice"}).answer);
}

TEST(TalariaCallsTest, ItsCommandIsJudgedLikeAnyOther) {
  const struct {
    const char* command;
    const char* answer;
  } cases[] = {
      {"talaria exec ls", "allow"},
      {"talaria exec rm -rf /", "deny"},
      {"talaria exec 'ls; rm -rf /'", "deny"},
      {"talaria exec --task a --timeout 5 -- rm -rf /", "deny"},
      {"talaria exec echo 'rm -rf /'", "allow"},
      {"talaria start 'rm -rf /'", "deny"},
      {R"(talaria call terminal '{"command":"rm -rf /"}')", "deny"},
      {R"(talaria call --task t terminal '{"command":"ls"}')", "allow"},
      {R"(talaria call process '{"action":"write","id":"p","data":"rm -rf /\n"}')", "deny"},
      {R"(talaria call process '{"action":"list"}')", "allow"},
      {"talaria call terminal \"$x\"", "ask"},
      {"talaria call terminal '{'", "ask"},
      {"talaria guard explain 'rm -rf /'", "allow"},
      {"HERMES_YOLO_MODE=1 talaria exec 'rm -rf /'", "deny"},
      {"talaria exec --cwd / 'rm -rf *'", "deny"},
      {R"(talaria call terminal '{"command":"rm -rf *","workdir":"~"}')", "deny"},
      {R"(talaria call write_file '{"path":"~/.bashrc","content":"x"}')", "ask"},
      {R"(talaria call write_file '{"path":"notes.txt","content":"rm -rf /"}')", "allow"},
      {R"(talaria call patch '{"mode":"replace","path":"~/.profile","old_string":"a"}')", "ask"},
      {R"(talaria call patch '{"mode":"patch","patch":"*** Delete File: ~/.ssh/config\n"}')",
       "ask"},
      {R"(talaria call patch '{"mode":"patch","patch":"*** Update File: a.txt\n-x\n+y\n"}')",
       "allow"},
      {R"x(talaria call execute_code '{"code":"import os; os.system(\"rm -rf /\")"}')x", "deny"},
      {R"x(talaria call execute_code '{"code":"print(1)"}')x", "allow"},
      {R"(talaria call read_file '{"path":"a.txt"}')", "allow"},
      {"talaria code count.py", "allow"},
      {"echo 'import os; os.system(\"rm -rf /\")' | talaria code -", "deny"},
      {"echo 'rm -rf /' | talaria attach proc_1", "deny"},
      {"talaria serve", "ask"},
      {"talaria token add x --approve", "ask"},
      {"talaria mcp install cursor", "ask"},
      {"talaria grants confirm grant_1", "ask"},
      {"talaria grants list", "allow"},
      {"HOME=$PWD/h talaria exec ls", "ask"},
  };
  for (const auto& c : cases) EXPECT_EQ(call_answer(c.command), c.answer) << c.command;
}

TEST(TalariaCallsTest, AnotherTargetIsElsewhere) {
  EXPECT_EQ(call_answer("talaria exec --target docker 'rm -rf /'"), "ask");
  EXPECT_EQ(call_answer("talaria exec --target=docker reboot"), "allow");
  EXPECT_EQ(call_answer("talaria exec --target local 'rm -rf /'"), "deny");
}

TEST(TalariaCallsTest, EveryLineIsACall) {
  EXPECT_EQ(call_answer("talaria call --lines <<'E'\n"
                        R"({"id":1,"tool":"terminal","args":{"command":"ls"}})"
                        "\n"
                        R"({"id":2,"tool":"terminal","args":{"command":"rm -rf /"}})"
                        "\nE"),
            "deny");
  EXPECT_EQ(call_answer("talaria call --lines <<'E'\n{\"id\":1,\"method\":\"env.list\"}\nE"),
            "allow");
  EXPECT_EQ(call_answer("cat x | talaria call --lines"), "ask");
  const auto line = [](const std::string& json, const std::string& server = "call --lines") {
    return call_answer("printf '%s\\n' '" + json + "' | talaria " + server);
  };
  EXPECT_EQ(line(R"({"id":1,"method":"approvals.yolo","params":{"on":true}})"), "ask");
  EXPECT_EQ(line(R"({"id":1,"method":"approvals.answer","params":{"id":"appr_1"}})"), "ask");
  EXPECT_EQ(line(R"({"id":1,"method":"env.override","params":{"task":"t"}})"), "ask");
  EXPECT_EQ(line(R"({"id":1,"method":"processes.kill_all"})"), "ask");
  EXPECT_EQ(line(R"({"id":1,"method":"approvals.list"})"), "allow");
  EXPECT_EQ(line(R"({"id":2,"tool":"write_file","args":{"path":"~/.bashrc","content":"x"}})"),
            "ask");
  EXPECT_EQ(line(R"({"id":2,"method":"tools/call","params":{"name":"terminal",)"
                 R"("arguments":{"command":"rm -rf /"}}})",
                 "mcp"),
            "deny");
  EXPECT_EQ(call_answer("talaria call --lines"), "allow");
}

}  // namespace
}  // namespace talaria::guard
