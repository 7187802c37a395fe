// Apptainer instances as a target, with the real engine.
#include "targets/singularity_test.h"

#include <sys/prctl.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <gmock/gmock.h>

#include "environment/singularity/singularity_environment.h"
#include "testing/run_to_end.h"

namespace talaria::test {
namespace {

namespace fs = std::filesystem;

using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;
using testing::SizeIs;

TEST_F(SingularityTargetTest, CommandsOfManyProcessesShareOneInstance) {
  const Finished first = world_.run({"exec", "--task", "t", "cd /usr; export A=kept; echo $HOME"});
  ASSERT_EQ(first.code(), 0) << first.err;
  EXPECT_EQ(first.out, "/root\n");
  const std::string instance = only_instance();
  EXPECT_THAT(instance, MatchesRegex("hermes_[0-9a-f]{12}"));
  const Finished later = world_.run({"exec", "--task", "t", "pwd; echo $A"});
  EXPECT_EQ(later.out, "/usr\nkept\n") << later.err;
  EXPECT_EQ(only_instance(), instance);
}

TEST_F(SingularityTargetTest, TheResultNamesTheTarget) {
  LinesClient client(world_);
  const json::object result = client.run("echo hi; pwd; exit 3");
  EXPECT_EQ(output_of(result), "hi\n/root");
  EXPECT_EQ(code_of(result), 3);
  EXPECT_EQ(result.at("target").as_string(), "singularity");
  EXPECT_EQ(result.at("transport").as_string(), "link");
  EXPECT_FALSE(result.contains("notices")) << json::serialize(result);
  EXPECT_EQ(client.end(), 0);
}

TEST_F(SingularityTargetTest, ManyFirstCallsMakeOneInstance) {
  std::vector<std::unique_ptr<Program>> calls;
  for (int i = 0; i < 4; ++i) calls.push_back(world_.start({"exec", "echo $((40 + 2))"}));
  for (const auto& call : calls) {
    ASSERT_TRUE(call->wait(kPatience * 3)) << call->err();
    EXPECT_EQ(call->out(), "42\n") << call->err();
  }
  EXPECT_THAT(instances(), SizeIs(1));
}

TEST_F(SingularityTargetTest, TheRunnerIsMountedAndNothingOfOursIsInside) {
  world_.set("MY_TOKEN", "hunter2");
  const Finished seen = world_.exec(
      "env | grep -c hunter2; ls ~/.talaria; touch /opt/talaria-runner/x 2>&1; ls /tmp | wc -l");
  EXPECT_THAT(seen.out, MatchesRegex("0\nrun\ntouch: .*: Read-only file system\n0\n")) << seen.err;
}

TEST_F(SingularityTargetTest, ATimeoutEmptiesTheTreeInside) {
  const Finished late =
      world_.run({"exec", "--timeout", "1",
                  "(setsid sleep 4331.5 &); trap '' TERM; sleep 4331.5; sleep 4331.5"});
  EXPECT_EQ(late.code(), 124) << late.err;
  const Finished left = world_.exec("grep -slz 4331[.]5 /proc/[0-9]*/cmdline | wc -l");
  EXPECT_EQ(trim_end(left.out), "0");
}

TEST_F(SingularityTargetTest, BackgroundWorkWithATerminalOutlivesItsController) {
  std::string id;
  {
    LinesClient agent(world_);
    id = agent.start_process("tty; read x; echo got $x; sleep 4332.5", {{"pty", true}});
    ASSERT_TRUE(shows(agent, id, "/dev/pts"));
    agent.program().kill(SIGKILL);
  }
  LinesClient agent(world_);
  agent.process({{"action", "submit"}, {"session_id", id}, {"data", "it"}});
  EXPECT_TRUE(shows(agent, id, "got it"));
  kill(agent, id);
  EXPECT_EQ(agent.end(), 0);
}

// The engine's own answer decides, and what was under way is not run again.
TEST_F(SingularityTargetTest, AnInstanceThatIsKilledUnderACommandIsATypedErrorAndReplaced) {
  LinesClient client(world_);
  client.run("cd /usr; export KEPT=yes; echo data >/root/file");
  const std::string first = only_instance();
  const int id = client.send({.command = "echo x >>/root/runs; sleep 4333.5"});
  ASSERT_TRUE(eventually([&] {
    std::ifstream runs(overlay("default") + "/upper/root/runs");
    return runs.good();
  }));
  kill_instances();
  const json::object lost = client.result(id);
  EXPECT_THAT(json::serialize(lost), HasSubstr("runner_lost"));
  const json::object after = client.run("pwd; echo $KEPT; cat /root/file /root/runs");
  EXPECT_EQ(output_of(after), "/usr\nyes\ndata\nx") << json::serialize(after);
  EXPECT_THAT(json::serialize(after),
              HasSubstr("Instance " + first + " was gone. Another one has its files"));
  EXPECT_NE(only_instance(), first);
  EXPECT_EQ(client.end(), 0);
}

TEST_F(SingularityTargetTest, MemoryAndCpuAreLimited) {
  world_.set("TERMINAL_CONTAINER_MEMORY", "300");
  world_.set("TERMINAL_CONTAINER_CPU", "0.5");
  const Finished done = world_.exec("echo ok");
  ASSERT_EQ(done.out, "ok\n") << done.err;
  EXPECT_EQ(done.err, "");
  const auto pid = instances().at(0).at("pid").as_int64();
  const Finished groups = run_host({"cat", "/proc/" + std::to_string(pid) + "/cgroup"});
  const Finished limits =
      run_host({"sh", "-c",
                "p=$(sed -n 's/^[0-9]*:memory://p' /proc/" + std::to_string(pid) +
                    "/cgroup); "
                    "q=$(sed -n 's/^0:://p' /proc/" +
                    std::to_string(pid) +
                    "/cgroup); "
                    "cat /sys/fs/cgroup/memory$p/memory.limit_in_bytes "
                    "/sys/fs/cgroup/cpu$p/cpu.cfs_quota_us "
                    "2>/dev/null || cat /sys/fs/cgroup$q/memory.max /sys/fs/cgroup$q/cpu.max"});
  EXPECT_THAT(limits.out, MatchesRegex("314572800\n50000.*\n")) << groups.out;
}

// Its variables were back in the next instance.
TEST_F(SingularityTargetTest, RemovingItRemovesItsSessions) {
  ASSERT_EQ(world_.run({"exec", "--task", "t", "export A=old; echo x >/root/f"}).code(), 0);
  const Finished removed = world_.run({"env", "rm", "default", "--yes"});
  EXPECT_EQ(removed.code(), 0) << removed.err;
  EXPECT_EQ(world_.run({"exec", "--task", "t", "echo \"<$A>\"; cat /root/f"}).out, "<>\nx\n");
}

TEST_F(SingularityTargetTest, WithoutPersistenceNothingIsKept) {
  world_.set("TERMINAL_CONTAINER_PERSISTENT", "false");
  EXPECT_EQ(world_.exec("echo data >/root/file; cat /root/file").out, "data\n");
  EXPECT_FALSE(fs::exists(scratch_ + "/hermes-overlays"));
  kill_instances();
  const Finished after = world_.exec("cat /root/file");
  EXPECT_THAT(after.out + after.err, HasSubstr("No such file"));
}

TEST_F(SingularityTargetTest, AConfigurationThatIsIgnoredIsSaid) {
  ASSERT_EQ(world_.exec("true").code(), 0);
  world_.set("TERMINAL_CONTAINER_MEMORY", "300");
  LinesClient client(world_);
  const json::object result = client.run("echo hi");
  EXPECT_THAT(json::serialize(result), HasSubstr("was started with another configuration"));
  EXPECT_EQ(client.end(), 0);
}

TEST_F(SingularityTargetTest, CredentialsAndSkillsAreThereToRead) {
  const std::string home = world_.path("home");
  fs::create_directories(home + "/skills/one");
  fs::create_directories(home + "/cache/images");
  std::ofstream(home + "/skills/one/SKILL.md") << "a skill\n";
  std::ofstream(home + "/token.json") << "a token\n";
  std::ofstream(home + "/config.yaml") << "terminal:\n  credential_files: [token.json]\n";
  const Finished seen = world_.exec(
      "cd ~/.hermes; cat token.json skills/one/SKILL.md; ls; echo x >skills/x || echo refused");
  EXPECT_THAT(seen.out, MatchesRegex("a token\na skill\nskills\ntoken.json\n.*refused\n"))
      << seen.err;
}

TEST_F(SingularityTargetTest, WithoutAnEngineNothingRuns) {
  world_.set("PATH", "/usr/bin:/bin");
  const Finished refused = world_.exec("touch " + world_.path("ran"));
  EXPECT_EQ(refused.code(), 125);
  EXPECT_THAT(refused.err, HasSubstr("Neither 'apptainer' nor 'singularity' was found in PATH."));
  EXPECT_FALSE(fs::exists(world_.path("ran")));
  world_.set("PATH", engine("TALARIA_APPTAINER_BIN") + ":/usr/bin:/bin");
}

TEST_F(SingularityTargetTest, AnImageThatIsNotThereIsNamed) {
  world_.set("TERMINAL_SINGULARITY_IMAGE", world_.path("no.sif"));
  const Finished refused = world_.exec("true");
  EXPECT_EQ(refused.code(), 125);
  EXPECT_THAT(refused.err, HasSubstr("Failed to start instance: "));
  EXPECT_THAT(refused.err, HasSubstr(world_.path("no.sif")));
  EXPECT_THAT(instances(), SizeIs(0));
}

// There is no registry here, so it can neither be built nor pulled, and both are said.
TEST_F(SingularityTargetTest, AReferenceThatCannotBeBuiltIsLeftToTheEngine) {
  world_.set("TERMINAL_SINGULARITY_IMAGE", "docker://localhost:1/nothing:here");
  const Finished refused = world_.exec("true");
  EXPECT_EQ(refused.code(), 125);
  EXPECT_THAT(refused.err, HasSubstr("Failed to start instance: "));
  for (const auto& entry : fs::directory_iterator(scratch_ + "/.apptainer")) {
    EXPECT_THAT(entry.path().string(), Not(HasSubstr(".part.")));
  }
}

// What a program that embeds us has in its hands.
class SingularityEnvironmentTest : public SingularityTargetTest {
 protected:
  void SetUp() override {
    SingularityTargetTest::SetUp();
    if (IsSkipped()) return;
    // The engine waits for what it stops to be reaped, which nobody here does.
    ::prctl(PR_SET_CHILD_SUBREAPER, 0);
    for (const std::string& entry : world_.env()) {
      const auto equals = entry.find('=');
      const std::string name = entry.substr(0, equals);
      if (name == "PATH" || name == "HOME") {
        before_.emplace_back(name, std::getenv(name.c_str()));
        ::setenv(name.c_str(), entry.c_str() + equals + 1, 1);
      }
    }
  }
  void TearDown() override {
    for (const auto& [name, value] : before_) ::setenv(name.c_str(), value.c_str(), 1);
    loop_.reset();
    SingularityTargetTest::TearDown();
  }

  environment::EnvironmentSpec spec() {
    return {.task = "a/../b",
            .home = world_.directory("embedder"),
            .container = {.cpu = 0, .memory_mb = 0},
            .lifetime = std::chrono::seconds(60)};
  }

  std::unique_ptr<environment::Environment> make(environment::EnvironmentSpec spec) {
    const environment::SingularityConfig config{.image = engine("TALARIA_APPTAINER_SIF"),
                                                .scratch_dir = scratch_};
    auto made = run_to_end(
        *loop_, environment::singularity::make_singularity_environment(config, std::move(spec)));
    if (!made) throw std::runtime_error(made.error().message());
    return std::move(*made);
  }
  std::string run(environment::Environment& environment, const std::string& command) {
    const auto outcome = run_to_end(
        *loop_, environment.run({.command = command, .head_limit = 1000}, CancelToken{}));
    return outcome ? outcome->head + outcome->tail : outcome.error().message();
  }

  std::unique_ptr<asio::io_context> loop_ = std::make_unique<asio::io_context>(1);
  std::vector<std::pair<std::string, std::string>> before_;
};

// T-078: upstream deletes <scratch>/hermes-* when it cleans up, overlays and all.
TEST_F(SingularityEnvironmentTest, OverlaysSurviveEveryCleanup) {
  const auto environment = make(spec());
  EXPECT_TRUE(environment->persistent());
  EXPECT_EQ(environment->place(), "instance " + only_instance());
  EXPECT_EQ(run(*environment, "echo data >/root/file; cat /root/file"), "data\n");
  ASSERT_TRUE(run_to_end(*loop_, environment->close(true)));
  EXPECT_THAT(instances(), SizeIs(0));

  const json::value snapshots = json::parse(world_.read("embedder/singularity_snapshots.json"));
  const std::string kept(snapshots.at("a/../b").as_string());
  EXPECT_EQ(fs::path(kept).parent_path(), scratch_ + "/hermes-overlays");
  EXPECT_TRUE(fs::exists(kept + "/upper/root/file"));
  EXPECT_EQ(run(*make(spec()), "cat /root/file"), "data\n");
}

TEST_F(SingularityEnvironmentTest, ClosingLeavesItToOthersUntilItWasIdleForItsLifetime) {
  auto environment = make(spec());
  EXPECT_EQ(run(*environment, "echo hi"), "hi\n");
  ASSERT_TRUE(run_to_end(*loop_, environment->close(false)));
  EXPECT_THAT(instances(), SizeIs(1));

  environment::EnvironmentSpec brief = spec();
  brief.lifetime = std::chrono::seconds(0);
  environment = make(brief);
  const auto other = make(spec());
  EXPECT_EQ(run(*other, "echo hi"), "hi\n");  // connected: somebody needs it
  ASSERT_TRUE(run_to_end(*loop_, environment->close(false)));
  EXPECT_THAT(instances(), SizeIs(1));
  ASSERT_TRUE(run_to_end(*loop_, other->close(false)));
  environment = make(brief);
  ASSERT_TRUE(run_to_end(*loop_, environment->close(false)));
  EXPECT_THAT(instances(), SizeIs(0));
}

TEST_F(SingularityEnvironmentTest, TheSweepEndsWhatNobodyNeedsAndNothingElse) {
  const auto swept = [this](bool running, bool dry_run) {
    auto done =
        run_to_end(*loop_, environment::singularity::sweep_instances(
                               {.scratch_dir = scratch_}, {.home = spec().home,
                                                           .max_age = std::chrono::seconds(0),
                                                           .running = running,
                                                           .dry_run = dry_run}));
    if (!done) throw std::runtime_error(done.error().message());
    return std::move(*done);
  };
  auto environment = make(spec());
  const std::string busy = "setsid sleep 4334.5 >/dev/null 2>&1 & echo $!";
  run(*environment, "echo data >/root/file; " + busy);
  EXPECT_THAT(swept(true, false), SizeIs(0));  // in use
  ASSERT_TRUE(run_to_end(*loop_, environment->close(false)));
  environment.reset();
  EXPECT_THAT(swept(false, false), SizeIs(0));  // meant to be found again
  const auto found = swept(true, true);
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].what, "instance " + only_instance());
  EXPECT_THAT(found[0].why, HasSubstr("it was last used "));
  EXPECT_FALSE(found[0].removed);
  const auto done = swept(true, false);
  ASSERT_THAT(done, SizeIs(1));
  EXPECT_TRUE(done[0].removed);
  EXPECT_THAT(instances(), SizeIs(0));
  EXPECT_EQ(run(*make(spec()), "cat /root/file"), "data\n");
}

TEST_F(SingularityEnvironmentTest, FilesAreSharedForReadingOnly) {
  std::ofstream(world_.path("key")) << "secret\n";
  environment::EnvironmentSpec wanted = spec();
  wanted.mounts = {{world_.path("key"), "/root/.hermes/key"}, {world_.path("a:b"), "/root/x"}};
  const auto environment = make(wanted);
  const auto outcome = run_to_end(
      *loop_,
      environment->run({.command = "cat ~/.hermes/key; echo x >~/.hermes/key", .head_limit = 1000},
                       CancelToken{}));
  ASSERT_TRUE(outcome) << outcome.error().message();
  EXPECT_THAT(outcome->head, MatchesRegex("secret\n.*Read-only file system\n"));
  EXPECT_THAT(outcome->notices,
              testing::ElementsAre(HasSubstr("does not get " + world_.path("a:b"))));
}

}  // namespace
}  // namespace talaria::test
