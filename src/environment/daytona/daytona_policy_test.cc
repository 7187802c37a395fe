#include "environment/daytona/daytona_policy.h"

#include <gtest/gtest.h>

namespace talaria::environment::daytona {
namespace {

TEST(DaytonaPolicy, OnlyWhatDoesNoHarmIsSentAgain) {
  const struct {
    const char* name;
    DaytonaTry failed;
    long expected;  // ms; -1: it is not sent again
  } cases[] = {
      {"a line that is broken before anything was sent", {.repeatable = false, .sent = false}, 200},
      {"for the third time", {.number = 3, .sent = false}, -1},
      {"a line that broke later", {.repeatable = false}, -1},
      {"which does no harm", {.repeatable = true, .number = 2}, 400},
      {"too many, with Retry-After", {.status = 429, .retry_after = "3"}, 3000},
      {"too many, with a Retry-After of a week", {.status = 429, .retry_after = "604800"}, 60'000},
      {"too many, with a date", {.status = 429, .retry_after = "Mon, 16 Nov 2026"}, 1000},
      {"too many, without Retry-After, again", {.number = 3, .status = 429}, 4000},
      {"too many, too often", {.number = 5, .status = 429, .retry_after = "1"}, -1},
      {"a service in trouble", {.repeatable = true, .status = 503}, 200},
      {"which says for how long", {.repeatable = true, .status = 503, .retry_after = "2"}, 2000},
      {"again", {.repeatable = true, .number = 4, .status = 500}, 1600},
      {"too often", {.repeatable = true, .number = 5, .status = 502}, -1},
      {"and nobody knows what it did", {.repeatable = false, .status = 504}, -1},
      {"a refusal", {.repeatable = true, .status = 400}, -1},
      {"no such thing", {.repeatable = true, .status = 404}, -1},
      {"a wrong key", {.repeatable = true, .status = 401}, -1},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const auto pause = pause_before_repeat(c.failed);
    EXPECT_EQ(pause ? pause->count() : -1, c.expected);
  }
}

TEST(DaytonaPolicy, WhatHasNoAnswerMayHaveBeenDone) {
  EXPECT_TRUE(may_have_been_done({.sent = true}));
  EXPECT_FALSE(may_have_been_done({.sent = false}));
  EXPECT_TRUE(may_have_been_done({.status = 504}));
  EXPECT_FALSE(may_have_been_done({.status = 429}));
  EXPECT_FALSE(may_have_been_done({.status = 403}));
}

TEST(DaytonaPolicy, AnswersAreOfAKind) {
  const struct {
    unsigned status;
    const char* message;
    ErrorKind expected;
  } cases[] = {
      {401, "Invalid credentials", ErrorKind::unavailable},
      {403, "Forbidden resource", ErrorKind::unavailable},
      {403, "Total CPU limit exceeded. Maximum allowed: 10.", ErrorKind::limit},
      {403, "Disk quota", ErrorKind::limit},
      {402, "Depleted credits", ErrorKind::limit},
      {429, "Rate limit exceeded", ErrorKind::limit},
      {404, "Sandbox not found", ErrorKind::not_found},
      {400, "Sandbox is not in valid state", ErrorKind::bad_request},
      {409, "already exists", ErrorKind::bad_request},
      {500, "limit of our patience", ErrorKind::unavailable},
      {503, "", ErrorKind::unavailable},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(daytona_error_kind(c.status, c.message), c.expected) << c.status << " " << c.message;
  }
}

}  // namespace
}  // namespace talaria::environment::daytona
