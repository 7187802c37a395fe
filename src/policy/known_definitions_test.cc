#include "policy/known_definitions.h"

#include <gtest/gtest.h>

namespace talaria::policy {
namespace {

TEST(KnownDefinitionsTest, WhatIsToldReplacesWhatTheSameWordsMeant) {
  KnownDefinitions known;
  known.learn("local", "s", {"f"}, {.functions = {{"f", "f () { g; }"}, {"g", "g () { :; }"}}});
  known.learn("local", "s", {"ll"}, {.aliases = {{"ll", "ls -l"}}});
  EXPECT_EQ(known.of("local", "s").functions.size(), 2u);
  EXPECT_EQ(known.of("local", "s").aliases.size(), 1u);

  // g is gone, and f is another.
  const shell::SessionDefinitions now{.functions = {{"f", "f () { g -v; }"}}};
  known.learn("local", "s", {"f"}, now);
  EXPECT_EQ(known.of("local", "s").functions, now.functions);
  EXPECT_EQ(digest_of(shell::reach({"f"}, shell::find_in(known.of("local", "s")))), digest_of(now));
  EXPECT_EQ(known.of("local", "s").aliases.size(), 1u);
}

TEST(KnownDefinitionsTest, EachSessionOfEachTargetHasItsOwn) {
  KnownDefinitions known;
  known.learn("local", "s", {"ll"}, {.aliases = {{"ll", "ls -l"}}});
  EXPECT_TRUE(known.of("local", "t").empty());
  EXPECT_TRUE(known.of("ssh", "s").empty());
}

}  // namespace
}  // namespace talaria::policy
