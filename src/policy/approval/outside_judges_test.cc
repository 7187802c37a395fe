#include "policy/approval/outside_judges.h"

#include <sys/stat.h>

#include <string>

#include <gtest/gtest.h>

#include "testing/run_to_end.h"
#include "testing/temporary_directory.h"

namespace talaria::policy {
namespace {

std::string described(const std::optional<ScannerFinding>& finding) {
  return finding ? finding->key + "|" + finding->description : "(nothing)";
}

TEST(Scanner, SaysByItsExitCodeAndExplainsInJson) {
  const struct {
    const char* name;
    environment::ProgramAnswer answer;
    const char* expected;
  } cases[] = {
      {"allow", {.code = 0, .output = R"({"findings":[{"rule_id":"x"}]})"}, "(nothing)"},
      {"block",
       {.code = 1,
        .output =
            R"({"findings":[{"rule_id":"pipe","severity":"high","title":"T","description":"D"},
                                  {"rule_id":"b","title":"U"}]})"},
       "tirith:pipe|Security scan — [HIGH] T: D; U"},
      {"warn without JSON",
       {.code = 2, .output = "oops"},
       "tirith:unknown|Security scan: security issue detected"},
      {"warn with a summary",
       {.code = 2, .output = R"({"summary":"odd"})"},
       "tirith:unknown|Security scan: odd"},
      {"only a common domain",
       {.code = 2, .output = R"({"findings":[{"rule_id":"lookalike_tld","title":"x.app"}]})"},
       "(nothing)"},
      {"blocked all the same",
       {.code = 1, .output = R"({"findings":[{"rule_id":"lookalike_tld","title":"x.app"}]})"},
       "tirith:lookalike_tld|Security scan — x.app"},
      {"another code",
       {.code = 3},
       "tirith:unknown|Security scan: the scanner failed (exit code 3)"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(described(scanner_finding(c.answer, false)), c.expected);
  }
  EXPECT_FALSE(scanner_finding(environment::ProgramAnswer{.code = 3}, true))
      << "as the operator wants it";
  EXPECT_TRUE(scanner_finding(environment::ProgramAnswer{.code = 1}, true))
      << "that is not a failure";
}

TEST(Scanner, OneThatIsNotThereMeansAsk) {
  const host::ScannerConfig scanner{.enabled = true, .program = "/nonexistent/scanner"};
  EXPECT_TRUE(test::run_to_end(scan_command(scanner, "ls")));
}

TEST(SmartApproval, OnlyTheExactWordsDecide) {
  const struct {
    const char* output;
    SmartAnswer expected;
  } cases[] = {
      {R"({"answer":"APPROVE"})", SmartAnswer::approve},
      {R"({"answer":" approve "})", SmartAnswer::approve},
      {"{\"answer\":\"deny\"}\n", SmartAnswer::deny},
      {R"({"answer":"APPROVE."})", SmartAnswer::escalate},
      {R"({"answer":"APPROVED"})", SmartAnswer::escalate},
      {R"({"answer":true})", SmartAnswer::escalate},
      {R"({"answer":""})", SmartAnswer::escalate},
      {R"({"verdict":"APPROVE"})", SmartAnswer::escalate},
      {R"(["APPROVE"])", SmartAnswer::escalate},
      {"APPROVE", SmartAnswer::escalate},
      {"", SmartAnswer::escalate},
  };
  for (const auto& c : cases) EXPECT_EQ(smart_answer(c.output), c.expected) << c.output;
}

class SmartProgram : public testing::Test {
 protected:
  SmartAnswer ask(const std::string& script, int seconds = 10) {
    const std::string path = directory_.write("program", "#!/bin/sh\n" + script);
    ::chmod(path.c_str(), 0700);
    return test::run_to_end(
        ask_smart_program({.smart_program = path, .smart_timeout = std::chrono::seconds(seconds)},
                          {.command = "rm -rf \"x\"", .description = "recursive delete"}));
  }
  test::TemporaryDirectory directory_;
};

TEST_F(SmartProgram, GetsJsonAndAnswersJson) {
  EXPECT_EQ(ask("cat > " + directory_.path("seen") + "; echo '{\"answer\":\"APPROVE\"}'"),
            SmartAnswer::approve);
  const std::string seen = directory_.read("seen");
  EXPECT_NE(seen.find(R"("command":"rm -rf \"x\"")"), std::string::npos) << seen;
  EXPECT_NE(seen.find(R"("description":"recursive delete")"), std::string::npos) << seen;
}

TEST_F(SmartProgram, ItsFailureMeansAsk) {
  EXPECT_EQ(ask("echo '{\"answer\":\"APPROVE\"}'; exit 1"), SmartAnswer::escalate);
  EXPECT_EQ(ask("echo '{\"answer\":\"APPROVE\"}'; kill -9 $$"), SmartAnswer::escalate);
  EXPECT_EQ(ask("echo '{\"answer\":\"APPROVE\"}'; exec sleep 60", 1), SmartAnswer::escalate);
  EXPECT_EQ(test::run_to_end(ask_smart_program({.smart_program = "/nonexistent"}, {})),
            SmartAnswer::escalate);
  EXPECT_EQ(test::run_to_end(ask_smart_program({}, {})), SmartAnswer::escalate)
      << "none is configured";
}

}  // namespace
}  // namespace talaria::policy
