#include "policy/known_definitions.h"

#include <gtest/gtest.h>

namespace talaria::policy {
namespace {

TEST(KnownDefinitionsTest, WhatIsReportedReplacesWhatTheSameWordsMeant) {
  KnownDefinitions known;
  const auto now = [&] { return known.of("local", "s", ""); };
  known.learn("local", "s", {.words = {"f"}},
              {.functions = {{"f", "f () { g; }"}, {"g", "g () { :; }"}}}, "");
  known.learn("local", "s", {.words = {"ll"}}, {.aliases = {{"ll", "ls -l"}}}, "");
  EXPECT_EQ(now().functions.size(), 2u);
  EXPECT_EQ(now().aliases.size(), 1u);

  // g is gone, and f is another.
  const shell::SessionDefinitions other{.functions = {{"f", "f () { g -v; }"}}};
  known.learn("local", "s", {.words = {"f"}}, other, "");
  EXPECT_EQ(now().functions, other.functions);
  EXPECT_EQ(digest_of_texts(shell::reach({"f"}, shell::find_in(now()))), digest_of_texts(other));
  EXPECT_EQ(now().aliases.size(), 1u);
}

TEST(KnownDefinitionsTest, AVariableThatIsNotReportedAnyMoreIsForgotten) {
  KnownDefinitions known;
  known.learn("local", "s", {.variables = {"A", "B"}}, {.variables = {{"A", "1"}, {"B", "2"}}}, "");
  known.learn("local", "s", {.variables = {"A"}}, {}, "");
  EXPECT_EQ(known.of("local", "s", "").variables, (shell::NameMap{{"B", "2"}}));
}

TEST(KnownDefinitionsTest, ADirectoryIsWhatTheRunnerFoundUntilTheSessionIsElsewhere) {
  KnownDefinitions known;
  EXPECT_EQ(known.of("local", "s", "/link").directory, "/link");
  EXPECT_EQ(known.of("local", "s", "~").directory, "");
  known.learn("local", "s", {.uses_directory = true}, {.directory = "/home/me"}, "/link");
  EXPECT_EQ(known.of("local", "s", "/link").directory, "/home/me");
  EXPECT_EQ(known.of("local", "s", "/other").directory, "/other");
  known.learn("local", "s", {}, {}, "/other");
  EXPECT_EQ(known.of("local", "s", "/link").directory, "/home/me");
}

TEST(KnownDefinitionsTest, EachSessionOfEachTargetHasItsOwn) {
  KnownDefinitions known;
  known.learn("local", "s", {.words = {"ll"}}, {.aliases = {{"ll", "ls -l"}}}, "");
  EXPECT_TRUE(known.of("local", "t", "").empty());
  EXPECT_TRUE(known.of("ssh", "s", "").empty());
}

// With more than 64, all were forgotten at every report.
TEST(KnownDefinitionsTest, ManySessionsDoNotPushOutTheOnesInUse) {
  KnownDefinitions known;
  const auto learn = [&](int session) {
    known.learn("local", std::to_string(session), {.words = {"ll"}}, {.aliases = {{"ll", "ls -l"}}},
                "");
  };
  for (int session = 0; session < 2000; ++session) learn(session);
  for (int session = 0; session < 2000; ++session) {
    EXPECT_FALSE(known.of("local", std::to_string(session), "").empty()) << session;
  }
  for (int session = 2000; session < 50'000; ++session) {
    learn(session);
    ASSERT_FALSE(known.of("local", "7", "").empty()) << session;
  }
  EXPECT_TRUE(known.of("local", "8", "").empty());
}

}  // namespace
}  // namespace talaria::policy
