// Containers that wait for a task: who gets them, and what becomes of those that nobody wants.
#include <filesystem>
#include <set>

#include <gmock/gmock.h>

#include "targets/container_test.h"
#include "targets/pools.h"

namespace talaria::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

class PoolTest : public ContainerTest {
 protected:
  void SetUp() override {
    ContainerTest::SetUp();
    world_.set("TERMINAL_POOL_SIZE", "1");
    world_.set("TERMINAL_CONTAINER_CPU", "0");
  }

  std::int64_t waiting(bool filled = true) { return waiting_in_pools(world_, filled); }
  bool fills_up(std::int64_t size = 1) {
    return eventually([&] { return waiting() == size; }, 2 * kPatience);
  }
  // It has an environment of its own from now on.
  void set_apart(LinesClient& agent, const std::string& task) {
    agent.ask("env.override",
              {{"task", task}, {"overrides", {{"docker_image", engine(GetParam().image)}}}});
  }
  // The id of the container in which a task runs.
  static std::string container_of(LinesClient& agent, const std::string& task) {
    return output_of(agent.run({.command = "cat /etc/hostname", .task = task}));
  }
  bool is_of_pool(const std::string& id) {
    return !trim_end(
                box({"inspect", "--format", "{{index .Config.Labels \"talaria-pool\"}}", id}).out)
                .empty();
  }
  std::vector<std::string> pool_directories() const {
    std::vector<std::string> names;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(world_.path("sandboxes/docker"), ignored)) {
      const std::string name = entry.path().filename().string();
      if (name.starts_with("pool@")) names.push_back(name);
    }
    return names;
  }
};

TEST_P(PoolTest, ANewTaskGetsTheOneThatWaitsAndKeepsIt) {
  LinesClient agent(world_);
  ASSERT_TRUE(fills_up());
  const std::string waited = container();
  EXPECT_EQ(output_of(agent.run("cd /tmp; export A=kept; echo data >~/file; echo $HOME")), "/root");
  EXPECT_EQ(container_of(agent, "t"), waited.substr(0, 12));
  EXPECT_EQ(fs::read_symlink(world_.path("sandboxes/docker/" + pool_directories().front()))
                .string()
                .substr(0, 7),
            "default");
  ASSERT_TRUE(fills_up());
  EXPECT_EQ(agent.end(), 0);

  const Finished later =
      world_.run({"exec", "--task", "t", "pwd; echo $A; echo $(cat /etc/hostname)"});
  EXPECT_EQ(later.out, "/tmp\nkept\n" + waited.substr(0, 12) + "\n") << later.err;
  box({"stop", "-t", "1", waited});
  const Finished started = world_.run({"exec", "--task", "t", "echo $A; cat ~/file"});
  EXPECT_EQ(started.out, "kept\ndata\n") << started.err;
  EXPECT_THAT(started.err, HasSubstr("started again"));
  box({"rm", "-f", waited});
  const Finished replaced = world_.run({"exec", "--task", "t", "echo $A; cat ~/file"});
  EXPECT_EQ(replaced.out, "kept\ndata\n") << replaced.err;
  ASSERT_EQ(world_.run({"env", "rm", "default", "--yes"}).code(), 0);
  const Finished anew = world_.run({"exec", "--task", "t", "echo [$A]; cat ~/file"});
  EXPECT_EQ(anew.out, "[]\ndata\n") << anew.err;
}

TEST_P(PoolTest, TwoProgramsDoNotGetTheSame) {
  LinesClient filler(world_);
  std::set<std::string> ids;
  bool was_used = false;
  for (int round = 0; round < 3; ++round) {
    ASSERT_TRUE(fills_up());
    std::vector<std::unique_ptr<LinesClient>> agents;
    std::vector<int> calls;
    for (const char* name : {"a", "b"}) {
      agents.push_back(std::make_unique<LinesClient>(world_));
      set_apart(*agents.back(), name + std::to_string(round));
    }
    for (std::size_t i = 0; i < 2; ++i) {
      calls.push_back(
          agents[i]->send({.command = "cat /etc/hostname",
                           .task = std::string(i == 0 ? "a" : "b") + std::to_string(round)}));
    }
    for (std::size_t i = 0; i < 2; ++i) {
      const std::string id = output_of(agents[i]->result(calls[i], 2 * kPatience));
      EXPECT_TRUE(ids.insert(id).second) << id << " was handed out twice";
      was_used |= is_of_pool(id);
    }
    for (const auto& agent : agents) EXPECT_EQ(agent->end(), 0);
  }
  EXPECT_TRUE(was_used);
  EXPECT_EQ(filler.end(), 0);
}

TEST_P(PoolTest, WhatAKilledProgramLeftIsUsedOrSwept) {
  world_.set("TERMINAL_LIFETIME_SECONDS", "30");
  std::string waited;
  {
    LinesClient killed(world_);
    ASSERT_TRUE(fills_up());
    waited = container();
    killed.program().kill(SIGKILL);
    killed.program().wait(kPatience);
  }
  EXPECT_EQ(waiting(), 0);
  EXPECT_EQ(waiting(false), 1);
  {
    LinesClient next(world_);
    EXPECT_EQ(container_of(next, "t"), waited.substr(0, 12));
    ASSERT_TRUE(fills_up());
    next.program().kill(SIGKILL);
    next.program().wait(kPatience);
  }
  // Nobody wants the other one: it goes when its time is over, and the task's stays.
  ASSERT_THAT(containers(), SizeIs(2));
  world_.set("TERMINAL_POOL_SIZE", "0");
  world_.set("TERMINAL_LIFETIME_SECONDS", "2");
  EXPECT_TRUE(eventually([&] {
    world_.run({"doctor", "--reap"});
    return containers().size() == 1;
  }));
  EXPECT_EQ(container(), waited);
  EXPECT_EQ(waiting(false), 0);
}

TEST_P(PoolTest, OneWithOtherSettingsIsNotUsed) {
  LinesClient agent(world_);
  ASSERT_TRUE(fills_up());
  const std::string waits = container();
  for (const auto& [name, value] : {std::pair("TERMINAL_CONTAINER_MEMORY", "256"),
                                    std::pair("TERMINAL_DOCKER_ENV", "{\"B\":\"2\"}")}) {
    world_.set(name, value);
    LinesClient different(world_);
    const std::string task = std::string("task-of-") + name;
    set_apart(different, task);
    EXPECT_NE(container_of(different, task), waits.substr(0, 12));
    EXPECT_EQ(different.end(), 0);
  }
  EXPECT_GE(waiting(), 1);
  EXPECT_EQ(state_of(waits), "running");
  EXPECT_EQ(agent.end(), 0);
}

TEST_P(PoolTest, AnImageThatComesLaterFillsThePool) {
  const std::string image = "localhost/talaria-late-" + profile_;
  world_.set("TERMINAL_DOCKER_IMAGE", image);
  LinesClient agent(world_);
  EXPECT_THAT(error_of(agent.run("true")), HasSubstr(image));
  EXPECT_EQ(waiting(), 0);
  box({"tag", engine(GetParam().image), image});
  EXPECT_TRUE(fills_up());
  EXPECT_EQ(output_of(agent.run({.command = "echo works", .task = "t"})), "works");
  agent.end();
  for (const std::string& id : containers()) box({"rm", "-f", id});
  box({"rmi", image});
}

TEST_P(PoolTest, PeopleSeeHowManyWait) {
  world_.set("TERMINAL_POOL_SIZE", "2");
  LinesClient agent(world_);
  ASSERT_TRUE(fills_up(2));
  EXPECT_THAT(world_.run({"env", "list"}).out, HasSubstr("WAITING"));
  EXPECT_THAT(world_.run({"doctor"}).out,
              HasSubstr("2 of 2 wait at " + std::string(GetParam().name)));
  EXPECT_EQ(agent.end(), 0);
  EXPECT_THAT(world_.run({"doctor"}).out, HasSubstr("no program fills the pool"));
}

TEST_P(PoolTest, WhatDoesNotOutliveItsProgramGoesWithIt) {
  world_.set("TERMINAL_DOCKER_PERSIST_ACROSS_PROCESSES", "false");
  LinesClient agent(world_);
  ASSERT_TRUE(fills_up());
  EXPECT_EQ(output_of(agent.run("echo hi")), "hi");
  ASSERT_TRUE(fills_up());
  EXPECT_EQ(agent.end(), 0);
  EXPECT_THAT(containers(), IsEmpty());
  EXPECT_THAT(pool_directories(), IsEmpty());
}

// Its files are in the memory of the container, and so would be its runner.
TEST_P(PoolTest, WhereNoFilesAreKeptNoneWaits) {
  world_.set("TERMINAL_CONTAINER_PERSISTENT", "false");
  LinesClient agent(world_);
  EXPECT_EQ(output_of(agent.run("echo hi")), "hi");
  EXPECT_EQ(agent.end(), 0);
  EXPECT_FALSE(is_of_pool(container()));
}

TEST_P(PoolTest, OneThatWasRemovedOrPausedIsReplaced) {
  LinesClient agent(world_);
  ASSERT_TRUE(fills_up());
  const std::string waited = container();
  box({"pause", waited});
  set_apart(agent, "a");
  const std::string used = container_of(agent, "a");
  EXPECT_NE(used, waited.substr(0, 12));
  EXPECT_TRUE(eventually([&] { return state_of(waited).empty(); }, 2 * kPatience));
  EXPECT_TRUE(fills_up());
  EXPECT_EQ(agent.end(), 0);
}

INSTANTIATE_TEST_SUITE_P(Engines, PoolTest, testing::ValuesIn(kContainerEngines), engine_name);

}  // namespace
}  // namespace talaria::test
