#include "host/child_env.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace talaria {
namespace {

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

TEST(ChildEnv, KeepsOrderAndValuesAndDropsWhatIsNoVariable) {
  const Caller caller{
      .variables = {"PATH=/bin", "OPENAI_API_KEY=sk-1", "EMPTY=", "NOEQUALS", "=odd", "X=a=b\nc"}};
  EXPECT_THAT(child_env(caller), testing::ElementsAre("PATH=/bin", "EMPTY=", "X=a=b\nc"));
}

}  // namespace
}  // namespace talaria
