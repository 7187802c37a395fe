#include "host/child_env.h"

#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/withheld.h"
#include "host/withheld_names.h"
#include "shell/name_patterns.h"

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

TEST(Withheld, NamesOfTheAgentAndNamesOfSecrets) {
  enum class Passes { always, if_listed, never };
  const struct {
    Passes passes;
    std::initializer_list<const char*> names;
  } cases[] = {
      {Passes::never,
       {"OPENAI_API_KEY", "ANTHROPIC_TOKEN", "GEMINI_API_KEY", "HF_TOKEN", "SUDO_PASSWORD",
        "GITHUB_TOKEN", "MODAL_TOKEN_SECRET", "AWS_BEARER_TOKEN_BEDROCK", "TELEGRAM_BOT_TOKEN",
        "EMAIL_PASSWORD", "EMAIL_ANYTHING", "QQ_APP_ID", "LLM_MODEL", "OLLAMA_BASE_URL",
        "TALARIA_HOME", "_HERMES_FORCE_OPENAI_API_KEY"}},
      {Passes::if_listed,
       {"TENOR_API_KEY", "NPM_TOKEN", "CARGO_REGISTRY_TOKEN", "DB_PASSWORD", "PGPASSWORD",
        "STRIPE_SECRET_KEY", "CLIENT_SECRET", "SENTRY_DSN", "openai_api_key", "MY_OPENAI_API_KEY",
        "ACME_ACCESS_KEY_ID", "GOOGLE_CREDENTIALS", "VAULT_TOKEN", "TF_VAR_db_password"}},
      {Passes::always,
       {"AWS_ACCESS_KEY_ID",
        "AWS_SECRET_ACCESS_KEY",
        "AWS_SESSION_TOKEN",
        "PATH",
        "PWD",
        "OLDPWD",
        "EMAIL",
        "OPENAI_API_KEY_FILE",
        "HERMES_SESSION_KEY",
        "SSH_AUTH_SOCK",
        "GIT_ASKPASS",
        "GPG_KEY",
        "XAUTHORITY",
        "GOOGLE_APPLICATION_CREDENTIALS",
        "MAX_TOKENS",
        "TOKENIZERS_PARALLELISM",
        "PASSWORD_STORE_DIR",
        "DATABASE_URL",
        "KUBECONFIG",
        ""}},
  };
  for (const auto& c : cases) {
    for (const char* name : c.names) {
      SCOPED_TRACE(name);
      EXPECT_EQ(is_of_the_agent(name), c.passes == Passes::never);
      EXPECT_EQ(is_inherited(name, {}), c.passes == Passes::always);
      EXPECT_EQ(is_inherited(name, {name}), c.passes != Passes::never);
      EXPECT_EQ(shell::lists_name(withheld_patterns({}), name), c.passes != Passes::always);
      EXPECT_EQ(shell::lists_name(withheld_patterns({name}), name), c.passes == Passes::never);
    }
  }
}

TEST(Withheld, EveryNameThatHermesWithholds) {
  EXPECT_GE(kNamesOfTheAgent.size(), 257u);
  for (const std::string_view name : kNamesOfTheAgent) {
    EXPECT_FALSE(is_inherited(name, {std::string(name)})) << name;
  }
}

std::vector<std::string> env_of(std::vector<std::string> variables,
                                std::vector<std::string> added = {},
                                std::set<std::string> passed = {}) {
  variables.push_back("HOME=/home/me");
  const Caller caller{.variables = std::move(variables)};
  return child_env(
      caller,
      {.home = {.mode = HomeMode::real}, .added = std::move(added), .passed = std::move(passed)});
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

TEST(ChildEnv, ASecretOfThePersonPassesIfItIsListed) {
  const std::vector<std::string> variables{"NPM_TOKEN=n", "OTHER_TOKEN=o", "GH_TOKEN=g"};
  EXPECT_THAT(env_of(variables, {}, {"NPM_TOKEN", "GH_TOKEN"}),
              AllOf(Contains("NPM_TOKEN=n"), Not(Contains(AnyOf("OTHER_TOKEN=o", "GH_TOKEN=g")))));
}

// The embedding program means what it adds.
TEST(ChildEnv, WhatIsAddedMayBeNamedLikeASecret) {
  EXPECT_THAT(env_of({"MY_TOKEN=inherited"}, {"MY_TOKEN=added"}), Contains("MY_TOKEN=added"));
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
