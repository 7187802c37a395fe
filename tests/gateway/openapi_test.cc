// The document the gateway serves, and what it does.
#include <string>

#include "gateway/gateway_test.h"

namespace talaria {
namespace {

class GatewayOpenapiTest : public GatewayTest {};

TEST_F(GatewayOpenapiTest, EveryRouteAndEveryErrorIsAsTheDocumentSays) {
  const std::string approver = new_token("approver", {"--approve", "--user", "tester"});
  const std::string spent = new_token("spent", {"--rate", "1"});
  start_gateway();
  GatewayClient http = client();
  http.token = spent;
  EXPECT_EQ(http.get("/v1/sandboxes").status, 200);
  EXPECT_EQ(http.get("/v1/sandboxes").status, 429);
  Program check(
      {.argv = {"/usr/bin/python3", std::string(TALARIA_GATEWAY_SCRIPTS) + "/openapi_check.py",
                std::to_string(port_), token_, approver, spent},
       .env = world_.env()});
  const auto ended = check.wait(std::chrono::seconds(45));
  ASSERT_TRUE(ended) << check.out() << check.err();
  EXPECT_EQ(exit_code_of(*ended), 0) << check.out() << check.err();
}

}  // namespace
}  // namespace talaria
