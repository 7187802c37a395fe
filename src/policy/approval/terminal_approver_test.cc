#include "policy/approval/terminal_approver.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace talaria::policy {
namespace {

using testing::HasSubstr;
using testing::Not;

ApprovalRequest request_with(std::string session_key, bool permanent = true) {
  return {.command = "rm -rf data",
          .offers = {{"command", "exactly the command 'rm -rf data' in /srv"},
                     {"task", "every command that matches the rule 'recursive delete'"}},
          .session_key = std::move(session_key),
          .task = "t",
          .target = "local",
          .cwd = "/srv",
          .allow_permanent = permanent};
}

TEST(TerminalApprover, OnlyAFewWordsApprove) {
  const struct {
    const char* line;
    const char* expected;
  } cases[] = {
      {"y", "once"},     {"yes", "once"},      {"o", "once"},    {"once", "once"},
      {" O \r", "once"}, {"Y", "once"},        {"s", "session"}, {"session", "session"},
      {"a", "always"},   {"ALWAYS", "always"}, {"", "deny"},     {"n", "deny"},
      {"no", "deny"},    {"d", "deny"},        {"deny", "deny"},
  };
  const ApprovalRequest all = request_with("s");
  const auto word = [](std::string_view line, const ApprovalRequest& request) {
    return typed_answer(line, request).value_or(ApprovalAnswer{.word = "asked again"}).word;
  };
  for (const auto& c : cases) EXPECT_EQ(word(c.line, all), c.expected) << c.line;
  for (const char* line : {"onc", "once once", "approve", "oh no", "y task", "a everything",
                           "a 1 h", "yes please", "\x1b[A", "x", "n task"}) {
    EXPECT_EQ(word(line, all), "asked again") << line;
  }
  EXPECT_EQ(word("a", request_with("s", false)), "session") << "what may not be allowed for good";
  EXPECT_EQ(word("s", request_with("default")), "once") << "a session without a name";
  EXPECT_EQ(word("a", {.session_key = "s"}), "once") << "nothing is offered";
}

TEST(TerminalApprover, WideningAndTimeAreTypedBehindTheWord) {
  const ApprovalRequest request = request_with("s");
  EXPECT_EQ(typed_answer("a", request).value().covers, "") << "the narrowest";
  const ApprovalAnswer wide = typed_answer("a  task 2h", request).value();
  EXPECT_EQ(wide.word, "always");
  EXPECT_EQ(wide.covers, "task");
  EXPECT_EQ(wide.lasts, std::chrono::hours(2));
  const ApprovalAnswer timed = typed_answer("session 30m", request).value();
  EXPECT_EQ(timed.word, "session");
  EXPECT_EQ(timed.covers, "");
  EXPECT_EQ(timed.lasts, std::chrono::minutes(30));
}

TEST(TerminalApprover, ShowsWhereItRunsAndWhatEachAnswerCovers) {
  const std::string shown = approval_question(request_with("s"), false);
  EXPECT_THAT(shown, HasSubstr("\n  in /srv, task t, target local\n"));
  EXPECT_THAT(shown, HasSubstr("\n  [a] also exactly the command 'rm -rf data' in /srv\n"));
  EXPECT_THAT(shown, HasSubstr("\n  [a task] also every command that matches the rule"));
  EXPECT_THAT(shown,
              HasSubstr("\n  [a] has no time limit; [s] instead of [a] is for this session, at "
                        "most a day\n  Add a time to limit it: 'a 1h'\n"));
  EXPECT_THAT(shown, HasSubstr("Run it? [n]o, [y]es once, [s]ession, [a]lways ("));
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
}

TEST(TerminalApprover, DoesNotOfferWhatIsNotAvailable) {
  EXPECT_THAT(approval_question(request_with("chat", false), false), Not(HasSubstr("always")));
  EXPECT_THAT(approval_question(request_with("default"), false),
              HasSubstr("[n]o, [y]es once, [a]lways"));
  EXPECT_THAT(approval_question({.command = "x", .session_key = "chat"}, false),
              HasSubstr("Run it? [n]o, [y]es once ("));
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
