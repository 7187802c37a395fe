// The document the gateway serves, and what it does.
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "gateway/gateway_test.h"

namespace talaria::test {
namespace {

class GatewayOpenapiTest : public GatewayTest {};

TEST_F(GatewayOpenapiTest, EveryRouteAndEveryErrorIsAsTheDocumentSays) {
  world_.set("HERMES_YOLO_MODE", "0");
  world_.set("TALARIA_APPROVALS_HEADLESS", "queue");
  const std::string approver = new_token("approver", {"--approve", "--user", "tester"});
  const std::string spent = new_token("spent", {"--rate", "1"});
  start_gateway();
  HttpTestClient http = client();
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

TEST_F(GatewayOpenapiTest, TheDocumentIsOpenapi31) {
  const char* const node = std::getenv("TALARIA_NODE");
  if (node == nullptr) GTEST_SKIP() << "there is no Node for the tests (tests/engines/node)";
  start_gateway();
  std::ofstream(world_.path("openapi.json")) << client().get("/openapi.json").body;
  Program check({.argv = {node, std::string(TALARIA_GATEWAY_SCRIPTS) + "/openapi_valid.mjs",
                          std::getenv("TALARIA_NODE_MODULES"), world_.path("openapi.json")},
                 .env = world_.env()});
  ASSERT_TRUE(check.wait(std::chrono::seconds(60)));
  EXPECT_EQ(check.out(), "3.1\n") << check.err();
}

// Both with every rule they recommend; a warning counts. They have no network.
TEST_F(GatewayOpenapiTest, SpectralAndRedoclyFindNothing) {
  const char* const modules = std::getenv("TALARIA_OPENAPI_MODULES");
  if (modules == nullptr) GTEST_SKIP() << "there is no Node for the tests (tests/engines/node)";
  start_gateway();
  const std::string document = world_.path("openapi.json");
  std::ofstream(document) << client().get("/openapi.json").body;
  world_.set("REDOCLY_TELEMETRY", "off");
  world_.set("REDOCLY_SUPPRESS_UPDATE_NOTICE", "true");
  const std::vector<std::vector<std::string>> linters{
      {"/@stoplight/spectral-cli/dist/index.js", "lint", "--fail-severity=hint", "--ruleset",
       std::string(TALARIA_GATEWAY_SCRIPTS) + "/openapi/spectral.yaml"},
      {"/@redocly/cli/bin/cli.js", "lint", "--extends=recommended-strict"}};
  for (const std::vector<std::string>& linter : linters) {
    std::vector<std::string> argv{"unshare", ::getuid() == 0 ? "-n" : "-rn",
                                  std::getenv("TALARIA_NODE"), modules + linter.front()};
    argv.insert(argv.end(), linter.begin() + 1, linter.end());
    argv.push_back(document);
    Program check({.argv = std::move(argv), .env = world_.env()});
    const auto ended = check.wait(std::chrono::seconds(60));
    ASSERT_TRUE(ended) << check.out() << check.err();
    EXPECT_EQ(exit_code_of(*ended), 0) << check.out() << check.err();
  }
}

}  // namespace
}  // namespace talaria::test
