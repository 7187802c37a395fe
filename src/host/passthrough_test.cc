#include "host/passthrough.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace talaria::host {
namespace {

using testing::ElementsAre;

TEST(Passthrough, RefusesTheAgentsSecrets) {
  Passthrough passthrough;
  EXPECT_TRUE(passthrough.add(" TENOR_API_KEY "));
  const Result<void> refused = passthrough.add("ANTHROPIC_TOKEN");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message(),
            "ANTHROPIC_TOKEN is a secret of the agent and is not passed; if commands need such a "
            "value, store it under another name and pass that");
  EXPECT_EQ(refused.error().kind(), ErrorKind::denied);
  for (const char* name : {" ", "*", "A*", "A|B", "A) echo ;;", "1A", "<secret>"}) {
    const Result<void> invalid = passthrough.add(name);
    ASSERT_FALSE(invalid) << name;
    EXPECT_EQ(invalid.error().kind(), ErrorKind::bad_request);
  }
  EXPECT_THAT(passthrough.names(), ElementsAre("TENOR_API_KEY"));
}

// T-072 asks the same of docker_forward_env.
TEST(Passthrough, ValuesComeFromTheFileWhereTheCallerHasNone) {
  Passthrough passthrough;
  for (const char* name : {"BOTH", "EMPTY", "FILE", "NEITHER", "CALLER", "NOTHING"}) {
    ASSERT_TRUE(passthrough.add(name));
  }
  const EnvFile file = parse_env_file("BOTH=f\nEMPTY=f\nFILE=f\nNOTHING=\nUNLISTED=f\n");
  const Caller caller{.variables = {"BOTH=c", "EMPTY=", "CALLER=c"}};
  EXPECT_THAT(passthrough.values(file, caller), ElementsAre("EMPTY=f", "FILE=f"));
}

}  // namespace
}  // namespace talaria::host
