// Processes of one home at several targets: seen and reached whichever of them is configured.
#include <csignal>
#include <map>
#include <memory>
#include <string>

#include <boost/json/parse.hpp>
#include <gmock/gmock.h>

#include "os/directory.h"
#include "os/file.h"
#include "os/proc.h"
#include "targets/container_test.h"
#include "targets/ssh_server.h"

namespace talaria::test {
namespace {

using testing::HasSubstr;

class ProcessTargetsTest : public ContainerTest {
 protected:
  void SetUp() override {
    ContainerTest::SetUp();
    if (IsSkipped()) return;
    server_ = std::make_unique<SshServer>(world_);
    if (!server_->trouble().empty()) GTEST_SKIP() << server_->trouble();
    world_.set("TERMINAL_SSH_HOST", "talaria-test");
    world_.set("TERMINAL_SSH_USER", "root");
    world_.set("TERMINAL_SSH_CONFIG", server_->config());
  }
  void TearDown() override {
    for (const pid_t pid : os::descendants(::getpid())) {
      const auto line = os::read_file("/proc/" + std::to_string(pid) + "/cmdline", 4096);
      if (line && line->starts_with("ssh: ") && line->contains("[mux]")) ::kill(pid, SIGTERM);
    }
    if (server_) {
      for (const std::string& name : os::names_in(server_->home() + "/.talaria")) {
        const auto runner = Runner::in(server_->home() + "/.talaria/" + name);
        if (!runner) continue;
        runner->kill(SIGTERM);
        EXPECT_TRUE(runner->wait_gone());
      }
    }
    server_.reset();
    ContainerTest::TearDown();
  }

  std::unique_ptr<SshServer> server_;
};

// Those at another target than the configured one were only mentioned, and kill did not find them.
TEST_P(ProcessTargetsTest, AllAreShownAndReached) {
  const std::vector<std::string> targets{"local", GetParam().name, "ssh"};
  std::map<std::string, std::string> ids;
  for (const std::string& target : targets) {
    const Finished started =
        world_.run({"start", "--target", target, "echo at " + target + "; sleep 4336.5"});
    ASSERT_EQ(started.code(), 0) << started.err;
    ids[target] = trim_end(started.out);
  }
  for (const std::string& configured : targets) {
    world_.set("TERMINAL_ENV", configured);
    const Finished list = world_.run({"ps", "--json"});
    EXPECT_EQ(list.code(), 0);
    EXPECT_EQ(list.err, "");
    std::map<std::string, std::string> shown;
    const json::value all = json::parse(list.out);
    for (const json::value& one : all.at("processes").as_array()) {
      EXPECT_EQ(one.at("status").as_string(), "running") << list.out;
      shown.emplace(one.at("target").as_string(), one.at("id").as_string());
    }
    EXPECT_EQ(shown, ids) << "configured: " << configured;
  }
  // Each from another target than its own.
  for (std::size_t i = 0; i < targets.size(); ++i) {
    world_.set("TERMINAL_ENV", targets[(i + 1) % targets.size()]);
    const std::string& id = ids[targets[i]];
    EXPECT_TRUE(
        eventually([&] { return world_.run({"logs", id}).out == "at " + targets[i] + "\n"; }));
    EXPECT_EQ(world_.run({"kill", id}).out, "killed " + id + "\n");
    EXPECT_EQ(world_.run({"wait", id}).code(), 128 + SIGTERM);
  }
  EXPECT_THAT(world_.run({"ps"}).out, HasSubstr("No process is running."));
}

INSTANTIATE_TEST_SUITE_P(Engines, ProcessTargetsTest, testing::ValuesIn(kContainerEngines),
                         engine_name);

}  // namespace
}  // namespace talaria::test
