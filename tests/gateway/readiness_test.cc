// `GET /readyz`: whether the target that the gateway needs answers now.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "gateway/gateway_test.h"
#include "os/file.h"
#include "os/proc.h"
#include "targets/ssh_server.h"

namespace talaria::test {
namespace {

using testing::HasSubstr;

class ReadinessTest : public GatewayTest {
 protected:
  void write_program(const std::string& name, const std::string& text) {
    const std::string path = world_.directory("programs") + "/" + name;
    std::ofstream(path + ".new") << "#!/bin/sh\n" << text << "\n";
    std::filesystem::permissions(path + ".new", std::filesystem::perms::owner_all);
    std::filesystem::rename(path + ".new", path);
  }
  // Until what is known is too old, the answer is the old one.
  bool becomes(int status) {
    return eventually([&] { return client().get("/readyz").status == status; }, 2 * kPatience);
  }
  std::string reason() { return client().get("/readyz").text("error"); }
  // What the gateway has complained of.
  std::string complaints() {
    gateway_->kill(SIGTERM);
    EXPECT_TRUE(gateway_->wait());
    std::string said = gateway_->err();
    gateway_.reset();
    return said;
  }
};

// Only docker was asked.
TEST_F(ReadinessTest, APodmanThatFailsIsSaidAndAsksAgain) {
  write_program("podman", "echo 'no storage here' >&2; exit 1");
  world_.set("PATH", world_.path("programs") + ":/usr/bin:/bin");
  start_gateway({"--target", "podman"});
  ASSERT_TRUE(becomes(503));
  ASSERT_TRUE(eventually([&] { return reason().contains("no storage here"); })) << reason();
  EXPECT_EQ(client().get("/healthz").status, 200);
  write_program("podman", "exit 0");
  EXPECT_TRUE(becomes(200)) << reason();
  EXPECT_THAT(complaints(), HasSubstr("the target does not answer yet: "));
}

TEST_F(ReadinessTest, AnApptainerThatFailsIsSaidAndAsksAgain) {
  write_program("apptainer", "echo 'no setuid here' >&2; exit 1");
  world_.set("PATH", world_.path("programs") + ":/usr/bin:/bin");
  start_gateway({"--target", "singularity"});
  ASSERT_TRUE(becomes(503));
  ASSERT_TRUE(eventually([&] { return reason().contains("no setuid here"); })) << reason();
  write_program("apptainer", "exit 0");
  EXPECT_TRUE(becomes(200)) << reason();
  EXPECT_THAT(complaints(), HasSubstr("the target does not answer yet: "));
}

class CarrierReadinessTest : public ReadinessTest {
 protected:
  // A carrier that leads here, fails while there is a file "down", and counts its runs.
  void SetUp() override {
    write_program("carrier", "echo >>'" + world_.path("runs") + "'\n[ ! -e '" +
                                 world_.path("down") +
                                 "' ] || { echo 'no route' >&2; exit 1; }\n[ ! -e '" +
                                 world_.path("silent") + "' ] || exec sleep 1000\nexec env HOME='" +
                                 world_.directory("there") + "' \"$@\"");
    world_.set("TERMINAL_CARRIER", world_.path("programs/carrier"));
  }
  void make(const std::string& name) const { std::ofstream(world_.path(name)) << "x"; }
};

// It was "ready" whatever was at the other end.
TEST_F(CarrierReadinessTest, ACarrierIsAsked) {
  start_gateway({"--target", "carrier"});
  EXPECT_TRUE(becomes(200)) << reason();
  make("down");
  EXPECT_TRUE(becomes(503));
  EXPECT_THAT(reason(), HasSubstr("no route"));
  std::filesystem::remove(world_.path("down"));
  EXPECT_TRUE(becomes(200)) << reason();
  EXPECT_FALSE(std::filesystem::exists(world_.path("there/.talaria"))) << "no runner is needed";
}

TEST_F(CarrierReadinessTest, ManyQuestionsAreOneToTheTarget) {
  start_gateway({"--target", "carrier"});
  EXPECT_TRUE(becomes(200)) << reason();
  const auto begun = std::chrono::steady_clock::now();
  const std::size_t before = world_.read("runs").size();
  for (int i = 0; i < 100; ++i) EXPECT_EQ(client().get("/readyz").status, 200);
  const auto took =
      std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - begun);
  const auto asked = static_cast<std::chrono::seconds::rep>(world_.read("runs").size() - before);
  EXPECT_LE(asked, 1 + took.count() / 5);
}

// Requests during that time are answered, and the gateway stops when asked to.
TEST_F(CarrierReadinessTest, ASilentTargetIsNotReadyAndHoldsNobodyUp) {
  make("silent");
  start_gateway({"--target", "carrier"});
  ASSERT_TRUE(appears("runs"));
  const HttpAnswer answer = client().get("/readyz");
  EXPECT_EQ(answer.status, 503) << answer.body;
  EXPECT_THAT(answer.text("error"), HasSubstr("has not answered yet"));
  EXPECT_EQ(world_.read("runs"), "\n") << "it was asked once";
  const auto begun = std::chrono::steady_clock::now();
  stop_gateway();
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(10));
}

// Who asked for nothing but that gets the reason after a while.
TEST_F(CarrierReadinessTest, ATargetThatStaysSilentIsGivenUp) {
  make("silent");
  start_gateway({"--target", "carrier"});
  EXPECT_TRUE(eventually([&] { return reason().contains("no answer in 15 s"); }, 3 * kPatience))
      << reason();
  EXPECT_EQ(world_.read("runs"), "\n") << "it was asked once";
}

class SshReadinessTest : public ReadinessTest {
 protected:
  void SetUp() override {
    server_ = std::make_unique<SshServer>(world_);
    if (!server_->trouble().empty()) GTEST_SKIP() << server_->trouble();
    world_.set("TERMINAL_SSH_HOST", "talaria-test");
    world_.set("TERMINAL_SSH_USER", "root");
    world_.set("TERMINAL_SSH_CONFIG", server_->config());
  }
  void TearDown() override {
    if (gateway_) stop_gateway();
    for (const pid_t pid : os::descendants(::getpid())) {
      const auto line = os::read_file("/proc/" + std::to_string(pid) + "/cmdline", 4096);
      if (line && line->starts_with("ssh: ") && line->contains("[mux]")) ::kill(pid, SIGTERM);
    }
    server_.reset();
    ReadinessTest::TearDown();
  }

  std::unique_ptr<SshServer> server_;
};

TEST_F(SshReadinessTest, AHostIsAsked) {
  start_gateway({"--target", "ssh"});
  EXPECT_TRUE(becomes(200)) << reason();
  server_->stop();
  EXPECT_TRUE(becomes(503));
  EXPECT_THAT(reason(), HasSubstr("SSH connection failed: "));
  server_->start();
  EXPECT_TRUE(becomes(200)) << reason();
}

}  // namespace
}  // namespace talaria::test
