// Instances that wait for a task: who gets them, and what becomes of those that nobody wants.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>

#include <gmock/gmock.h>

#include "targets/pools.h"
#include "targets/singularity_test.h"

namespace talaria::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

class SingularityPoolTest : public SingularityTargetTest {
 protected:
  void SetUp() override {
    SingularityTargetTest::SetUp();
    world_.set("TERMINAL_POOL_SIZE", "1");
    world_.set("TERMINAL_CONTAINER_CPU", "0");
    world_.set("TERMINAL_CONTAINER_MEMORY", "0");
  }

  std::int64_t waiting(bool filled = true) { return waiting_in_pools(world_, filled); }
  bool fills_up(std::int64_t size = 1) {
    return eventually([&] { return waiting() == size; }, 2 * kPatience);
  }
  // It has an environment of its own from now on.
  void set_apart(LinesClient& agent, const std::string& task) {
    agent.ask(
        "env.override",
        {{"task", task}, {"overrides", {{"singularity_image", engine("TALARIA_APPTAINER_SIF")}}}});
  }
  std::vector<std::string> pool_overlays() const {
    std::vector<std::string> names;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(scratch_ + "/hermes-overlays", ignored)) {
      const std::string name = entry.path().filename().string();
      if (name.starts_with("pool@")) names.push_back(name);
    }
    return names;
  }
  bool is_sweep_done(std::size_t left) {
    return eventually([&] {
      world_.run({"doctor", "--reap"});
      reap_adopted();
      return instances().size() == left && pool_overlays().empty();
    });
  }
};

TEST_F(SingularityPoolTest, ANewTaskGetsTheOneThatWaitsAndKeepsIt) {
  LinesClient agent(world_);
  ASSERT_TRUE(fills_up());
  const std::string waited = only_instance();
  EXPECT_THAT(pool_overlays(), testing::ElementsAre("pool@" + waited));
  EXPECT_EQ(output_of(agent.run("cd /tmp; export A=kept; echo data >~/file; echo $HOME")), "/root");
  const Finished inside =
      run_host({"apptainer", "exec", "instance://" + waited, "cat", "/root/file"});
  EXPECT_EQ(inside.out, "data\n") << inside.err;
  EXPECT_TRUE(fs::exists(overlay("default") + "/upper/root/file"));
  ASSERT_TRUE(fills_up());
  EXPECT_THAT(instances(), SizeIs(2));
  EXPECT_EQ(agent.end(), 0);

  world_.set("TERMINAL_POOL_SIZE", "0");
  const Finished later = world_.run({"exec", "--task", "t", "pwd; echo $A"});
  EXPECT_EQ(later.out, "/tmp\nkept\n") << later.err;
  kill_instances();
  const Finished replaced = world_.run({"exec", "--task", "t", "echo $A; cat ~/file"});
  EXPECT_EQ(replaced.out, "kept\ndata\n") << replaced.err;
}

// Whoever is second makes an instance of its own.
TEST_F(SingularityPoolTest, NoneIsHandedOutTwice) {
  LinesClient filler(world_);
  ASSERT_TRUE(fills_up());
  const std::string waited = only_instance();
  std::vector<std::unique_ptr<LinesClient>> agents;
  std::vector<int> calls;
  for (const char* task : {"a", "b"}) {
    agents.push_back(std::make_unique<LinesClient>(world_));
    set_apart(*agents.back(), task);
  }
  for (std::size_t i = 0; i < agents.size(); ++i) {
    calls.push_back(
        agents[i]->send({.command = "mkdir /root/taken && echo mine", .task = i == 0 ? "a" : "b"}));
  }
  for (std::size_t i = 0; i < agents.size(); ++i) {
    EXPECT_EQ(output_of(agents[i]->result(calls[i], 2 * kPatience)), "mine");
  }
  EXPECT_EQ(run_host({"apptainer", "exec", "instance://" + waited, "ls", "-d", "/root/taken"}).out,
            "/root/taken\n");
  for (const auto& agent : agents) EXPECT_EQ(agent->end(), 0);
  EXPECT_EQ(filler.end(), 0);
}

TEST_F(SingularityPoolTest, ANewTaskAsksTheEngineOnce) {
  const std::string real = trim_end(run_host({"which", "apptainer"}).out);
  const std::string log = world_.path("engine-calls");
  const std::string bin = world_.directory("bin");
  std::ofstream(bin + "/apptainer")
      << "#!/bin/sh\necho \"$*\" >>" << log << "\nexec " << real << " \"$@\"\n";
  fs::permissions(bin + "/apptainer", fs::perms::owner_all);
  world_.set("PATH", bin + ":/usr/local/bin:/usr/bin:/bin");
  LinesClient agent(world_);
  ASSERT_TRUE(fills_up());
  const std::string waited = only_instance();
  fs::remove(log);
  EXPECT_EQ(output_of(agent.run("echo first")), "first");
  std::vector<std::string> calls;  // that a command may wait for
  std::ifstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("exec") || line.starts_with("instance start")) calls.push_back(line);
  }
  ASSERT_THAT(calls, testing::Not(IsEmpty()));
  EXPECT_THAT(calls.front(), AllOf(StartsWith("exec"), HasSubstr("instance://" + waited)));
  EXPECT_EQ(
      std::ranges::count_if(calls, [&](const std::string& call) { return call.contains(waited); }),
      1);
  EXPECT_EQ(agent.end(), 0);
}

TEST_F(SingularityPoolTest, WhatAKilledProgramLeftIsUsedOrSwept) {
  world_.set("TERMINAL_LIFETIME_SECONDS", "30");
  std::string waited;
  {
    LinesClient killed(world_);
    ASSERT_TRUE(fills_up());
    waited = only_instance();
    killed.program().kill(SIGKILL);
    killed.program().wait(kPatience);
  }
  EXPECT_EQ(waiting(), 0);
  EXPECT_EQ(waiting(false), 1);
  {
    LinesClient next(world_);
    EXPECT_EQ(output_of(next.run("touch /root/used; echo hi")), "hi");
    EXPECT_EQ(run_host({"apptainer", "exec", "instance://" + waited, "ls", "/root/used"}).out,
              "/root/used\n");
    ASSERT_TRUE(fills_up());
    next.program().kill(SIGKILL);
    next.program().wait(kPatience);
  }
  // Nobody wants the other one: it goes when its time is over, and the task's stays.
  ASSERT_THAT(instances(), SizeIs(2));
  world_.set("TERMINAL_POOL_SIZE", "0");
  world_.set("TERMINAL_LIFETIME_SECONDS", "2");
  EXPECT_TRUE(is_sweep_done(1));
  EXPECT_EQ(only_instance(), waited);
  EXPECT_EQ(waiting(false), 0);
}

// Its lease is written last.
TEST_F(SingularityPoolTest, OneThatAProgramWasMakingWhenItWasKilledIsSwept) {
  const std::string name = "hermes_0123456789ab";
  const std::string left = scratch_ + "/hermes-overlays/pool@" + name;
  fs::create_directories(left);
  const Finished made = run_host({"apptainer", "instance", "start", "--containall", "--no-home",
                                  "--overlay", left, engine("TALARIA_APPTAINER_SIF"), name});
  ASSERT_EQ(made.code(), 0) << made.err;
  world_.run({"doctor", "--reap"});
  EXPECT_THAT(instances(), SizeIs(1)) << "it may be made just now";
  fs::last_write_time(left, fs::file_time_type::clock::now() - std::chrono::hours(1));
  EXPECT_TRUE(is_sweep_done(0));
}

TEST_F(SingularityPoolTest, PeopleSeeHowManyWait) {
  LinesClient agent(world_);
  ASSERT_TRUE(fills_up());
  EXPECT_THAT(world_.run({"env", "list"}).out, HasSubstr("WAITING"));
  EXPECT_THAT(world_.run({"doctor"}).out, HasSubstr("1 of 1 wait at singularity"));
  EXPECT_EQ(agent.end(), 0);
  EXPECT_THAT(world_.run({"doctor"}).out, HasSubstr("no program fills the pool"));
}

}  // namespace
}  // namespace talaria::test
