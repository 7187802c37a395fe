// The gateway with other targets behind it, of real engines.
#include <unistd.h>

#include <ostream>
#include <string>

#include "gateway/gateway_test.h"
#include "support/engine_test.h"

namespace talaria {
namespace {

struct GatewayTarget {
  const char* name;   // as in TERMINAL_ENV
  const char* needs;  // the variable that says its engine runs
};

void PrintTo(const GatewayTarget& target, std::ostream* out) { *out << target.name; }

class GatewayTargetTest : public GatewayTest, public testing::WithParamInterface<GatewayTarget> {
 protected:
  void SetUp() override {
    const std::string target = GetParam().name;
    if (engine(GetParam().needs).empty()) GTEST_SKIP() << "no " << target << " for tests";
    if (target == "docker") pass({"DOCKER_HOST", "DOCKER_CONFIG"});
    if (target == "podman") pass({"CONTAINERS_CONF", "CONTAINERS_STORAGE_CONF"});
    profile_ = "gateway-" + std::to_string(::getpid());
    world_.set("HERMES_PROFILE", profile_);
    world_.set("TERMINAL_DOCKER_NETWORK", "false");
    world_.set("TERMINAL_SANDBOX_DIR", world_.path("boxes"));
    world_.set("TERMINAL_CWD", "");
    if (target == "docker") image_ = engine("TALARIA_DOCKER_IMAGE");
    if (target == "podman") image_ = engine("TALARIA_PODMAN_IMAGE");
    start_gateway({"--target", target});
  }

  void TearDown() override {
    if (IsSkipped()) return;
    stop_gateway();
    host({"sh", "-c",
          std::string(GetParam().name) + " rm -f $(" + GetParam().name +
              " ps -aq --filter label=hermes-profile=" + profile_ + ")"});
    GatewayTest::TearDown();
  }

  void pass(const std::vector<const char*>& names) {
    for (const char* name : names) {
      if (!engine(name).empty()) world_.set(name, engine(name));
    }
  }

  std::string host(const std::vector<std::string>& words) {
    ProgramSpec spec = world_.spec({});
    spec.argv = {"/usr/bin/env"};
    spec.argv.insert(spec.argv.end(), words.begin(), words.end());
    Program program(spec);
    (void)program.wait(std::chrono::seconds(60));
    return program.out();
  }

  std::string containers() {
    return host({GetParam().name, "ps", "-aq", "--filter", "label=hermes-profile=" + profile_});
  }

  std::string profile_;
  std::string image_;
};

TEST_P(GatewayTargetTest, ASandboxIsAContainerOfItsOwnAndSurvivesTheGateway) {
  GatewayClient http = client();
  const json::object wanted{{"image", image_},
                            {"cwd", "/work/here"},
                            {"persistentFilesystem", true},
                            {"logicalKey", "k"}};
  const HttpAnswer made = http.post("/v1/sandboxes", body(wanted));
  ASSERT_EQ(made.status, 201) << made.body;
  EXPECT_TRUE(made.json().at("isolated").as_bool());
  const std::string sandbox = made.text("id");
  EXPECT_EQ(run(http, sandbox, "a", "pwd; cat > f; cat f", {{"stdinData", "x\n"}})
                .at("output")
                .as_string(),
            "/work/here\nx\n");
  const std::string other = create(http, {{"image", image_}});
  EXPECT_EQ(run(http, other, "a", "ls /work 2>&1; exit 7").at("returncode").as_int64(), 7);

  http.post(execs(sandbox) + "?wait=0",
            body({{"execId", "long"},
                  {"command", "until [ -e go ]; do sleep 0.05; done; echo went; exit 3"}}));
  ASSERT_TRUE(
      eventually([&] { return http.get(execs(sandbox) + "/long").text("status") == "running"; }));
  kill_gateway();
  start_gateway({"--target", GetParam().name});
  GatewayClient again = client();
  run(again, sandbox, "go", "touch go");
  const HttpAnswer ended = again.get(execs(sandbox) + "/long?wait=30000");
  EXPECT_EQ(ended.text("output"), "went\n") << ended.body;
  EXPECT_EQ(ended.json().at("returncode").as_int64(), 3);

  const auto end = [&](const std::string& one, bool snapshot) {
    const HttpAnswer answer = again.post("/v1/sandboxes/" + one + "/terminate",
                                         body({{"snapshotBeforeTerminate", snapshot}}));
    EXPECT_EQ(answer.text("status"), "terminated") << answer.body;
    EXPECT_EQ(answer.text("snapshotError"), "");
  };
  end(sandbox, true);
  end(other, false);
  EXPECT_EQ(containers(), "");

  // T-173, in a container.
  const std::string second = create(again, wanted);
  EXPECT_EQ(run(again, second, "a", "cat f").at("output").as_string(), "x\n");
  end(second, false);
}

INSTANTIATE_TEST_SUITE_P(Engines, GatewayTargetTest,
                         testing::Values(GatewayTarget{"docker", "DOCKER_HOST"},
                                         GatewayTarget{"podman", "TALARIA_PODMAN"}),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace talaria
