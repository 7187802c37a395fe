// The disk of a target is full: commands run there all the same, what could not be kept is said,
// and with room again the session has all that it had.
#include <filesystem>
#include <memory>
#include <optional>

#include <boost/json/serialize.hpp>
#include <gmock/gmock.h>

#include "environment/docker/docker_environment.h"
#include "environment/home_mark.h"
#include "environment/ssh/ssh_environment.h"
#include "files/content.h"
#include "targets/container_test.h"
#include "targets/small_disk.h"
#include "targets/ssh_test.h"
#include "testing/run_to_end.h"

namespace talaria::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kFill = "cat /dev/zero >~/filler; cat /dev/zero >>~/filler";
constexpr const char* kKillRunner = "kill -9 $(head -n 1 ~/.talaria/run*/runner-v1)";

// With the home of the target on a small disk, nothing but the session `t` is used before.
void commands_go_on(LinesClient& agent) {
  agent.run("cd /usr; export A=kept; f() { echo f $A; }; echo data >~/file");
  const std::string process =
      agent.start_process("echo early; until [ -e ~/go ]; do sleep 0.05; done; echo late");
  EXPECT_THAT(output_of(agent.run(kFill)), HasSubstr("No space left on device"));

  const json::object changed = agent.run("cd /var; export B=there");
  EXPECT_EQ(code_of(changed), 0);
  EXPECT_THAT(notices_of(changed), HasSubstr("the session's state is only in memory, not on disk"));
  EXPECT_THAT(notices_of(changed), HasSubstr("No space left on device"));
  EXPECT_EQ(output_of(agent.run("pwd; echo $B; f")), "/var\nthere\nf kept");

  const json::object large = agent.run("seq 1 400000; echo end");
  EXPECT_EQ(code_of(large), 0);
  EXPECT_TRUE(output_of(large).ends_with("400000\nend"));
  EXPECT_THAT(notices_of(large), HasSubstr("The omitted output was not kept"));

  const json::object unstarted = agent.start("true");
  EXPECT_EQ(code_of(unstarted), -1);
  EXPECT_THAT(error_of(unstarted), HasSubstr("make room there"));
  EXPECT_EQ(output_of(agent.run({.command = "echo hi", .task = "another"})), "hi");

  agent.run("rm ~/filler; touch ~/go");
  EXPECT_TRUE(eventually([&] {
    const json::object polled = agent.process({{"action", "poll"}, {"session_id", process}});
    return polled.at("output_preview").as_string() == "early\nlate\n";
  }));
  EXPECT_THAT(notices_of(agent.run("true")), IsEmpty());
  // What was kept in memory is on disk now.
  EXPECT_THAT(error_of(agent.run(kKillRunner)), HasSubstr("runner_lost"));
  EXPECT_EQ(output_of(agent.run("pwd; echo $B; f; cat ~/file")), "/var\nthere\nf kept\ndata");
}

// What was on disk is found by the next runner, which has no room either.
void runner_starts(LinesClient& agent) {
  agent.run("cd /usr; export A=kept; f() { echo f $A; }");
  agent.run(kFill);
  EXPECT_THAT(error_of(agent.run(kKillRunner)), HasSubstr("runner_lost"));
  const json::object after = agent.run("pwd; f");
  EXPECT_EQ(output_of(after), "/usr\nf kept") << json::serialize(after);
  agent.run("rm ~/filler");
  EXPECT_EQ(output_of(agent.run("pwd; f")), "/usr\nf kept");
}

// Over the link, as a program that embeds us writes it.
std::string write(asio::io_context& loop, environment::Environment& environment,
                  const std::string& bytes) {
  std::vector<environment::FileToWrite> one;
  one.push_back(content({"~/folder/file"}, bytes));
  one[0].parents = 0755;
  const auto done = run_to_end(loop, environment.files().write(std::move(one), CancelToken{}));
  return done.at(0) ? "done" : done[0].error().message();
}

// `home`: the target's, as this machine has it.
void a_file_is_whole_or_as_it_was(LinesClient& agent, asio::io_context& loop,
                                  environment::Environment& environment, const std::string& home) {
  EXPECT_EQ(write(loop, environment, "before"), "done");
  agent.run(kFill);
  EXPECT_THAT(write(loop, environment, pattern(1'000'000)), HasSubstr("No space left on device"));
  EXPECT_EQ(os::read_file(home + "/folder/file", 1u << 20).value_or(""), "before");
  const std::filesystem::directory_iterator entries(home + "/folder");
  EXPECT_EQ(std::distance(begin(entries), end(entries)), 1);
  agent.run("rm ~/filler");
  const std::string large = pattern(1'000'000);
  EXPECT_EQ(write(loop, environment, large), "done");
  EXPECT_TRUE(os::read_file(home + "/folder/file", 2u << 20).value_or("") == large);
}

class FullContainerTest : public ContainerTest {
 protected:
  void SetUp() override {
    ContainerTest::SetUp();
    if (IsSkipped()) return;
    disk_.emplace(world_.directory("sandboxes"), "6m");
    if (!disk_->trouble().empty()) GTEST_SKIP() << disk_->trouble();
  }
  void TearDown() override {
    ContainerTest::TearDown();
    disk_.reset();
  }

  environment::DockerConfig config() {
    return {.image = engine(GetParam().image), .network = false};
  }
  environment::EnvironmentSpec spec() {
    return {.target = GetParam().name,
            .home = world_.path("home"),
            .home_mark = environment::home_mark(world_.path("home")),
            .sandbox_dir = world_.path("sandboxes"),
            .profile = profile_,
            .cwd = "/root",
            .container = {.cpu = 0, .memory_mb = 512, .disk_mb = 0},
            .lifetime = std::chrono::seconds(60)};
  }

  std::optional<SmallDisk> disk_;
};

TEST_P(FullContainerTest, CommandsGoOnAndWithRoomEverythingIsThere) {
  LinesClient agent(world_);
  commands_go_on(agent);
  EXPECT_EQ(agent.end(), 0);
}

TEST_P(FullContainerTest, ARunnerStartsWithoutRoom) {
  LinesClient agent(world_);
  runner_starts(agent);
  EXPECT_EQ(agent.end(), 0);
}

TEST_P(FullContainerTest, AFileIsWholeOrAsItWas) {
  LinesClient agent(world_);
  agent.run("true");
  asio::io_context loop(1);
  auto made = run_to_end(loop, environment::docker::make_docker_environment(config(), spec()));
  ASSERT_TRUE(made) << made.error().message();
  a_file_is_whole_or_as_it_was(agent, loop, **made, world_.path("sandboxes/docker/default/home"));
  EXPECT_TRUE(run_to_end(loop, (*made)->close(false)));
  made->reset();
  loop.restart();
  loop.run();
}

INSTANTIATE_TEST_SUITE_P(Engines, FullContainerTest, testing::ValuesIn(kContainerEngines),
                         engine_name);

class FullSshTest : public SshTest {
 protected:
  void SetUp() override {
    SshTest::SetUp();
    if (IsSkipped()) return;
    // With room for the runner's program, which is larger with sanitizers.
    disk_.emplace(server_->home(), TALARIA_STATIC_RUNNER ? "10m" : "24m");
    if (!disk_->trouble().empty()) GTEST_SKIP() << disk_->trouble();
  }
  void TearDown() override {
    if (const auto runner = there()) {
      runner->kill(SIGTERM);
      EXPECT_TRUE(runner->wait_gone());
    }
    disk_.reset();
    SshTest::TearDown();
  }

  std::optional<SmallDisk> disk_;
};

TEST_F(FullSshTest, CommandsGoOnAndWithRoomEverythingIsThere) {
  LinesClient agent(world_);
  commands_go_on(agent);
  EXPECT_EQ(agent.end(), 0);
}

TEST_F(FullSshTest, ARunnerStartsWithoutRoom) {
  LinesClient agent(world_);
  runner_starts(agent);
  EXPECT_EQ(agent.end(), 0);
}

TEST_F(FullSshTest, AFileIsWholeOrAsItWas) {
  LinesClient agent(world_);
  agent.run("true");
  asio::io_context loop(1);
  auto made = run_to_end(
      loop, environment::ssh::make_ssh_environment(
                {.host = "talaria-test", .user = "root", .config_file = server_->config()},
                {.target = "ssh",
                 .home = world_.path("home"),
                 .home_mark = environment::home_mark(world_.path("home")),
                 .lifetime = std::chrono::seconds(60)}));
  ASSERT_TRUE(made) << made.error().message();
  a_file_is_whole_or_as_it_was(agent, loop, **made, server_->home());
  EXPECT_TRUE(run_to_end(loop, (*made)->close(false)));
  made->reset();
  loop.restart();
  loop.run();
}

}  // namespace
}  // namespace talaria::test
