#include "policy/approval/terminal_approver.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace talaria::policy {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(TerminalApprover, OnlyAFewWordsApprove) {
  const struct {
    const char* line;
    const char* expected;
  } cases[] = {
      {"o", "once"},          {"once", "once"},      {" O \r", "once"},    {"s", "session"},
      {"session", "session"}, {"a", "always"},       {"ALWAYS", "always"}, {"", "deny"},
      {"y", "deny"},          {"yes", "deny"},       {"d", "deny"},        {"deny", "deny"},
      {"onc", "deny"},        {"once once", "deny"}, {"approve", "deny"},  {"oh no", "deny"},
      {"\x1b[A", "deny"},
  };
  const ApprovalRequest all{.session_key = "s"};
  for (const auto& c : cases) EXPECT_EQ(typed_answer(c.line, all), c.expected) << c.line;
  const ApprovalRequest passing{.session_key = "s", .allow_permanent = false};
  EXPECT_EQ(typed_answer("a", passing), "session") << "what may not be allowed for good";
  EXPECT_EQ(typed_answer("s", {.session_key = "default"}), "once") << "a session without a name";
}

TEST(TerminalApprover, ShowsAllOfTheCommandAndNothingOfItDraws) {
  const std::string tail(100'000, 'x');
  const std::string shown = approval_question({.command = "echo hi\nrm -rf /\r\x1b[2K" + tail,
                                               .description = "recursive\ndelete",
                                               .target = "local",
                                               .cwd = "/srv\x1b]0;t\x07",
                                               .timeout = std::chrono::seconds(60)},
                                              false);
  EXPECT_THAT(shown, HasSubstr("  | echo hi\n  | rm -rf /<CR><ESC>[2K" + tail + "\n"));
  EXPECT_THAT(shown, Not(HasSubstr("\x1b")));
  EXPECT_THAT(shown, HasSubstr("recursive delete"));
  EXPECT_THAT(shown, HasSubstr("in /srv<ESC>]0;t<07>"));
  EXPECT_THAT(shown, HasSubstr("[a]lways"));
}

TEST(TerminalApprover, DoesNotOfferWhatIsNotToBeHad) {
  EXPECT_THAT(approval_question({.command = "x", .allow_permanent = false}, false),
              Not(HasSubstr("always")));
  EXPECT_THAT(approval_question({.command = "x", .session_key = "chat"}, false),
              HasSubstr("[o]nce, [s]ession, [a]lways"));
  EXPECT_THAT(approval_question({.command = "x", .session_key = "default"}, false),
              HasSubstr("[o]nce, [a]lways"));
}

TEST(TerminalApprover, EmptyLinesDoNotPushACommandOffTheScreen) {
  const std::string shown =
      approval_question({.command = "rm -rf x" + std::string(500, '\n') + "  \necho done\n\nls",
                         .description = "recursive delete"},
                        false);
  EXPECT_THAT(shown, HasSubstr("  | rm -rf x\n  : 500 empty lines\n  | echo done\n  | \n  | ls\n"));
  EXPECT_THAT(shown, HasSubstr("  (504 lines; recursive delete)\nRun it?"));
}

}  // namespace
}  // namespace talaria::policy
