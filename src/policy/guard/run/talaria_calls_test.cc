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
  EXPECT_EQ(call_answer("talaria call --lines"), "allow");
}

}  // namespace
}  // namespace talaria::guard
