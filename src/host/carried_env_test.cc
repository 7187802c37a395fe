#include "host/carried_env.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace talaria::host {
namespace {

using testing::ElementsAre;
using testing::UnorderedElementsAre;

Passthrough passing(const std::vector<std::string>& names) {
  Passthrough passthrough;
  for (const std::string& name : names) EXPECT_TRUE(passthrough.add(name));
  return passthrough;
}

TEST(CarriedEnv, NothingOfThisMachineGoesElsewhereUnasked) {
  const Caller caller{
      .variables = {"PATH=/bin", "HOME=/home/me", "AWS_ACCESS_KEY_ID=x", "OPENAI_API_KEY=y"}};
  EXPECT_THAT(carried_env(caller, {}), ElementsAre());
}

TEST(CarriedEnv, WhoAsksAndTheTraceGoAlong) {
  const Caller caller{.variables = {"HERMES_SESSION_KEY=k", "HERMES_SESSION_CHAT_ID=",
                                    "TRACEPARENT=00-1-2-3", "HERMES_HOME=/h"}};
  EXPECT_THAT(carried_env(caller, {}), ElementsAre("HERMES_SESSION_KEY=k", "TRACEPARENT=00-1-2-3"));
}

TEST(CarriedEnv, ASecretGoesIfItIsNamedForTheTarget) {
  const Caller caller{.variables = {"OPENAI_API_KEY=y", "TENOR_API_KEY=t"}};
  EXPECT_THAT(carried_env(caller, {.passthrough = passing({"TENOR_API_KEY"}),
                                   .forwarded = {"OPENAI_API_KEY"}}),
              UnorderedElementsAre("TENOR_API_KEY=t", "OPENAI_API_KEY=y"));
}

TEST(CarriedEnv, AnEmptyValueIsNone) {
  const Caller caller{.variables = {"MY_SECRET=", "OTHER="}};
  EXPECT_THAT(carried_env(caller, {.env_file = parse_env_file("MY_SECRET=from file\n"),
                                   .forwarded = {"MY_SECRET", "OTHER", "UNKNOWN"}}),
              ElementsAre("MY_SECRET=from file"));
}

TEST(CarriedEnv, WhatTheEmbeddingProgramAddsGoesAlongButNoSecretsUnforced) {
  EXPECT_THAT(carried_env({}, {.added = {"A=1", "OPENAI_API_KEY=y", "_HERMES_FORCE_GH_TOKEN=g"}}),
              UnorderedElementsAre("A=1", "GH_TOKEN=g"));
}

}  // namespace
}  // namespace talaria::host
