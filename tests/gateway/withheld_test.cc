// What execs inherit of the gateway's environment, and what is recorded of them.
#include <string>

#include "gateway/gateway_test.h"
#include "support/canary.h"
#include "support/withheld_variables.h"

namespace talaria::test {
namespace {

class GatewayWithheldTest : public GatewayTest {};

TEST_F(GatewayWithheldTest, NoExecHasASecretOfTheGateway) {
  set_withheld_variables(world_);
  start_gateway();
  HttpTestClient http = client();
  const std::string sandbox = create(http);
  const std::string inherited = std::string(kCarried) + " " + std::string(kForScripts) + "\n";
  EXPECT_EQ(run(http, sandbox, "one", kShowPlanted).at("output").as_string(), inherited);
  // What the client itself gives to its command is its own.
  EXPECT_EQ(run(http, sandbox, "two", kShowPlanted, {{"env", {{"A_TOKEN", "planted"}}}})
                .at("output")
                .as_string(),
            "A_TOKEN " + inherited);
}

// A background process, which an exec is, was once recorded with its command as it ran.
TEST_F(GatewayWithheldTest, TheRunnerRecordsAnExecWithoutItsSecrets) {
  Canaries canaries;
  canaries.end();
  const std::string key = canaries.plant_key("a key in an exec");
  start_gateway();
  HttpTestClient http = client();
  const std::string sandbox = create(http);
  const json::object ended = run(http, sandbox, "one", "k=" + key + "; echo ${#k}");
  EXPECT_EQ(ended.at("output").as_string(), "40\n");
  canaries.look_below(world_.path("home") + "/talaria/run");
  EXPECT_TRUE(canaries.has_looked_at("/jobs/"));
  EXPECT_THAT(canaries.findings(), testing::IsEmpty());
}

}  // namespace
}  // namespace talaria::test
