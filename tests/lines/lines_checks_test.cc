// JSON lines as a client sees them: the checks are programs in Python beside this file, which hold
// every line against docs/reference/json-lines.schema.json.
#include <chrono>
#include <string>

#include "base/text.h"
#include "support/talaria_test.h"

namespace talaria::test {
namespace {

class LinesChecksTest : public TalariaTest {
 protected:
  // Runs the classes of a check, in a home of their own.
  void check(const std::string& words) {
    world_.set("HERMES_YOLO_MODE", "0");
    world_.set("TALARIA_APPROVALS_HEADLESS", "queue");
    world_.set("TALARIA_PROGRAM", TALARIA_PROGRAM);
    world_.set("PYTHONDONTWRITEBYTECODE", "1");
    std::vector<std::string> argv{"/usr/bin/python3"};
    std::string_view rest = words;
    argv.push_back(std::string(TALARIA_LINES_CHECKS) + "/" + std::string(next_word(rest)));
    while (!rest.empty()) argv.emplace_back(next_word(rest));
    Program program({.argv = std::move(argv), .env = world_.env()});
    const auto ended = program.wait(std::chrono::seconds(150));
    ASSERT_TRUE(ended) << program.out() << program.err();
    EXPECT_EQ(exit_code_of(*ended), 0) << program.out() << program.err();
  }
};

TEST_F(LinesChecksTest, Exec) { check("exec_check.py ExecCheck"); }
TEST_F(LinesChecksTest, Streams) { check("exec_check.py StreamCheck"); }
TEST_F(LinesChecksTest, GreetingSessionsAndBadInput) {
  check("exec_check.py GreetingCheck SessionCheck BadInputCheck");
}
TEST_F(LinesChecksTest, Processes) { check("methods_check.py ProcessCheck"); }
TEST_F(LinesChecksTest, Files) { check("methods_check.py FileCheck"); }
TEST_F(LinesChecksTest, Sandboxes) { check("methods_check.py SandboxCheck"); }
TEST_F(LinesChecksTest, Approvals) { check("agents_check.py ApprovalCheck"); }
TEST_F(LinesChecksTest, Agents) { check("agents_check.py AgentCheck"); }
TEST_F(LinesChecksTest, OverAWebSocket) { check("websocket_check.py"); }
TEST_F(LinesChecksTest, PageSchemaAndProgramNameTheSame) { check("documents_check.py"); }

}  // namespace
}  // namespace talaria::test
