#include "tools/event_view.h"

#include <boost/json/serialize.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace talaria::tool {
namespace {

using testing::HasSubstr;
using testing::Not;

ProcessEvent ended(int code, ProcessEnd how = ProcessEnd::exited, std::string source = "") {
  return {.id = 7,
          .type = EventType::completion,
          .process = "proc_000000000001",
          .session_key = "chat",
          .command = "make",
          .ended = how,
          .exit_code = code,
          .source = std::move(source),
          .output = "all \x1b[32mgood\x1b[0m\n"};
}

TEST(Notification, SaysHowAProcessEnded) {
  EXPECT_EQ(notification(ended(0)),
            "[IMPORTANT: Background process proc_000000000001 completed normally (exit code 0).\n"
            "Command: make\nOutput:\nall good\n]");
  EXPECT_THAT(notification(ended(3)), HasSubstr("proc_000000000001 exited (exit code 3)."));
  EXPECT_THAT(notification(ended(-15, ProcessEnd::killed, "process.kill")),
              HasSubstr("terminated by process.kill (exit code -15, SIGTERM)."));
  EXPECT_THAT(notification(ended(-15, ProcessEnd::killed)), HasSubstr("terminated by Hermes"));
  EXPECT_THAT(notification(ended(-1, ProcessEnd::lost, "backend_lost")),
              HasSubstr("marked lost because the process backend disappeared"));
}

TEST(Notification, ACodeOfTermWithoutAReasonIsAnExit) {
  const std::string text = notification(ended(143));
  EXPECT_THAT(text, HasSubstr("exited (exit code 143, SIGTERM)."));
  EXPECT_THAT(text, Not(HasSubstr("terminated by")));
}

TEST(Notification, SaysHowManyMatchesWereNotTold) {
  ProcessEvent match{.type = EventType::watch_match,
                     .process = "proc_000000000001",
                     .command = "serve",
                     .output = "an error\n",
                     .pattern = "error",
                     .suppressed = 4};
  EXPECT_EQ(notification(match),
            "[IMPORTANT: Background process proc_000000000001 matched watch pattern \"error\".\n"
            "Command: serve\nMatched output:\nan error\n\n"
            "(4 earlier matches were suppressed by rate limit)]");
  match.suppressed = 0;
  EXPECT_THAT(notification(match), Not(HasSubstr("suppressed")));
}

TEST(Notification, AnOverflowIsItsMessageNeverAnExit) {
  const ProcessEvent muted{.type = EventType::watch_overflow_tripped, .message = "too many"};
  EXPECT_EQ(notification(muted), "[IMPORTANT: too many]");
}

TEST(Notification, WhatIsMissingIsUnknown) {
  EXPECT_THAT(notification({}), HasSubstr("Background process unknown completed normally"));
  EXPECT_THAT(notification({}), HasSubstr("Command: unknown"));
}

TEST(EventView, HasTheFieldsOfItsType) {
  const json::object view = view_of(ended(3));
  EXPECT_EQ(view.at("id"), 7);
  EXPECT_EQ(view.at("type"), "completion");
  EXPECT_EQ(view.at("session_id"), "proc_000000000001");
  EXPECT_EQ(view.at("session_key"), "chat");
  EXPECT_EQ(view.at("exit_code"), 3);
  EXPECT_EQ(view.at("completion_reason"), "exited");
  EXPECT_EQ(view.at("termination_source"), "");
  EXPECT_EQ(view.at("output"), "all good\n");
  EXPECT_FALSE(view.contains("pattern"));
  const json::object muted =
      view_of({.type = EventType::watch_overflow_tripped, .message = "too many"});
  EXPECT_EQ(muted.at("session_id"), "");
  EXPECT_EQ(muted.at("message"), "too many");
  EXPECT_FALSE(muted.contains("exit_code"));
}

TEST(EventView, ShowsTheEndOfMuchOutput) {
  ProcessEvent event = ended(0);
  event.output = std::string(5000, 'a') + "end";
  EXPECT_EQ(view_of(event).at("output").as_string().size(), 2000u);
  EXPECT_TRUE(view_of(event).at("output").as_string().ends_with("aend"));
}

}  // namespace
}  // namespace talaria::tool
