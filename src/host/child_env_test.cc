#include "host/child_env.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/withheld.h"

namespace talaria::host {
namespace {

using testing::AllOf;
using testing::AnyOf;
using testing::Contains;
using testing::Eq;
using testing::HasSubstr;
using testing::IsSupersetOf;
using testing::Not;
using testing::StartsWith;

TEST(ChildEnv, WithholdsTheAgentsSecretsAndNothingElse) {
  const struct {
    const char* name;
    bool withheld;
  } cases[] = {
      {"OPENAI_API_KEY", true},
      {"ANTHROPIC_TOKEN", true},
      {"XAI_API_KEY", true},
      {"SUDO_PASSWORD", true},
      {"GITHUB_TOKEN", true},
      {"MODAL_TOKEN_SECRET", true},
      {"AWS_BEARER_TOKEN_BEDROCK", true},
      {"TELEGRAM_BOT_TOKEN", true},
      {"EMAIL_PASSWORD", true},
      {"TALARIA_HOME", true},
      {"_HERMES_FORCE_OPENAI_API_KEY", true},
      {"AWS_ACCESS_KEY_ID", false},
      {"AWS_SECRET_ACCESS_KEY", false},
      {"PATH", false},
      {"EMAIL", false},
      {"openai_api_key", false},
      {"MY_OPENAI_API_KEY", false},
      {"OPENAI_API_KEY_FILE", false},
      {"HERMES_SESSION_KEY", false},
      {"", false},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(is_withheld(c.name), c.withheld);
  }
}

std::vector<std::string> env_of(std::vector<std::string> variables,
                                std::vector<std::string> added = {}) {
  variables.push_back("HOME=/home/me");
  const Caller caller{.variables = std::move(variables)};
  return child_env(caller, {.home = {.mode = HomeMode::real}, .added = std::move(added)});
}

TEST(ChildEnv, KeepsOrderAndValuesAndDropsWhatIsNoVariable) {
  EXPECT_THAT(env_of({"A=1", "OPENAI_API_KEY=sk-1", "EMPTY=", "NOEQUALS", "=odd", "X=a=b\nc"}),
              IsSupersetOf({"A=1", "EMPTY=", "X=a=b\nc", "HOME=/home/me"}));
  EXPECT_THAT(env_of({"OPENAI_API_KEY=sk-1", "NOEQUALS", "=odd"}),
              Not(Contains(AnyOf(HasSubstr("OPENAI"), Eq("NOEQUALS"), Eq("=odd")))));
}

TEST(ChildEnv, KeysOfTheAgentDoNotPassKeysOfThePersonDo) {
  const auto env = env_of({"OPENAI_API_KEY=sk-1", "AWS_ACCESS_KEY_ID=person"});
  EXPECT_THAT(env, Contains("AWS_ACCESS_KEY_ID=person"));
  EXPECT_THAT(env, Not(Contains(HasSubstr("sk-1"))));
}

TEST(ChildEnv, AnEmbeddersForcePrefixGetsAWithheldNameThrough) {
  const auto env = env_of({"OPENAI_API_KEY=sk-1"},
                          {"_HERMES_FORCE_OPENAI_API_KEY=forced", "GROQ_API_KEY=no", "OWN=1"});
  EXPECT_THAT(env, Contains("OPENAI_API_KEY=forced"));
  EXPECT_THAT(env, Contains("OWN=1"));
  EXPECT_THAT(env, Not(Contains(AnyOf(HasSubstr("_HERMES_FORCE_"), HasSubstr("GROQ")))));
}

// In the process's own environment any program before us could have set it.
TEST(ChildEnv, TheForcePrefixDoesNotCountInTheProcessEnvironment) {
  const auto env = env_of({"_HERMES_FORCE_OPENAI_API_KEY=forced"});
  EXPECT_THAT(env, Not(Contains(HasSubstr("forced"))));
}

TEST(ChildEnv, WhatIsAddedReplacesWhatIsInherited) {
  EXPECT_THAT(env_of({"A=inherited"}, {"A=added"}),
              AllOf(Contains("A=added"), Not(Contains("A=inherited"))));
}

TEST(ChildEnv, ThePersonsHomeIsInARealHomeVariable) {
  EXPECT_THAT(env_of({}), Contains("HERMES_REAL_HOME=/home/me"));
}

TEST(CompletePath, HasNoEmptyOrRepeatedEntryAndAllUsualPlaces) {
  const std::string usual =
      "/opt/homebrew/bin:/opt/homebrew/sbin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:"
      "/sbin:/bin";
  const struct {
    const char* path;
    std::string expected;
  } cases[] = {
      {"", usual},
      {":::", usual},
      {"/usr/bin::/bin:",
       "/usr/bin:/bin:/opt/homebrew/bin:/opt/homebrew/sbin:/usr/local/sbin:/usr/local/bin:"
       "/usr/sbin:/sbin"},
      {"/a:/b:/a", "/a:/b:" + usual},
      {"relative:/a", "relative:/a:" + usual},
  };
  for (const auto& c : cases) EXPECT_EQ(complete_path(c.path), c.expected) << c.path;
}

TEST(CompletePath, IsSetEvenWithoutOne) {
  EXPECT_THAT(env_of({}), Contains(StartsWith("PATH=/opt/homebrew/bin:")));
}

}  // namespace
}  // namespace talaria::host
