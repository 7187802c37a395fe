// What a container loses, and what is said of it: files and memory that fill it up, and containers
// that are killed.
#include <string>

#include <boost/json/serialize.hpp>
#include <gmock/gmock.h>

#include "targets/container_test.h"

namespace talaria::test {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class ContainerLossTest : public ContainerTest {
 protected:
  // The link may still have looked open: then nobody knows whether it ran there.
  static json::object run_after_loss(LinesClient& agent, const TerminalCall& call) {
    json::object result = agent.run(call);
    if (error_of(result).contains("runner_lost")) result = agent.run(call);
    return result;
  }
  static std::string field(const json::object& result, std::string_view name) {
    const json::value* const value = result.if_contains(name);
    return value && value->is_string() ? std::string(value->get_string()) : "";
  }
  static json::object log(LinesClient& agent, const std::string& id) {
    return agent.process({{"action", "log"}, {"session_id", id}});
  }
};

class FullMemoryTest : public ContainerLossTest {
 protected:
  void SetUp() override {
    ContainerLossTest::SetUp();
    if (IsSkipped()) return;
    world_.set("TERMINAL_CONTAINER_PERSISTENT", "false");
    world_.set("TERMINAL_CONTAINER_MEMORY", "256");
  }
  static void fill(LinesClient& agent) {
    const json::object full = agent.run("head -c 1G /dev/zero >/workspace/big");
    EXPECT_NE(code_of(full), 0);
    EXPECT_THAT(output_of(full), HasSubstr("No space left on device"));
  }
};

// Files that filled the memory left no room for any command.
TEST_P(FullMemoryTest, FilesCanFillItAndBeRemovedAgain) {
  LinesClient agent(world_);
  fill(agent);
  EXPECT_EQ(output_of(agent.run("rm /workspace/big; echo removed")), "removed");
  EXPECT_EQ(output_of(agent.run("head -c 1M /dev/zero | wc -c")), "1048576");
}

// The file tools failed with it.
TEST_P(FullMemoryTest, FileToolsSayThatItIsFullAndWorkElsewhere) {
  LinesClient agent(world_);
  const auto write = [&](const std::string& path, const std::string& content) {
    return agent.call("write_file", {{"path", path}, {"content", content}});
  };
  const auto read = [&](const std::string& path) {
    return field(agent.call("read_file", {{"path", path}}), "content");
  };
  const auto patch = [&](const std::string& from, const std::string& to) {
    return agent.call("patch",
                      {{"path", "/workspace/old"}, {"old_string", from}, {"new_string", to}});
  };
  ASSERT_EQ(field(write("/workspace/old", "one\n"), "error"), "");
  fill(agent);
  const std::string large(100'000, 'x');
  EXPECT_THAT(field(write("/workspace/new", large), "error"), HasSubstr("No space left on device"));
  EXPECT_THAT(field(write("/workspace/old", large), "error"), HasSubstr("No space left on device"));
  EXPECT_THAT(field(patch("one", large), "error"), HasSubstr("No space left on device"));
  EXPECT_THAT(read("/workspace/old"), HasSubstr("one"));
  EXPECT_EQ(output_of(agent.run("ls -A /workspace; cat /workspace/old")), "big\nold\none");
  EXPECT_EQ(field(write("/tmp/other", "two\n"), "error"), "");
  EXPECT_THAT(read("/tmp/other"), HasSubstr("two"));

  EXPECT_EQ(code_of(agent.run("rm /workspace/big")), 0);
  EXPECT_EQ(field(write("/workspace/new", large), "error"), "");
  EXPECT_EQ(field(patch("one", "two"), "error"), "");
  EXPECT_EQ(output_of(agent.run("wc -c </workspace/new; cat /workspace/old")), "100000\ntwo");
}

TEST_P(FullMemoryTest, ACommandThatTookTooMuchSaysWhyItWasKilled) {
  LinesClient agent(world_);
  const std::string limit = output_of(agent.run(
      "cat /sys/fs/cgroup/memory.max /sys/fs/cgroup/memory/memory.limit_in_bytes 2>/dev/null"));
  ASSERT_EQ(limit, std::to_string(256 << 20)) << "the engine does not limit the memory";
  // More than the limit, and as much again of swap.
  const json::object killed =
      agent.run("head -c 1200M /dev/zero | tail -c 1100M | wc -c; exit ${PIPESTATUS[1]}");
  EXPECT_EQ(code_of(killed), 137) << json::serialize(killed);
  ASSERT_TRUE(killed.contains("oom_killed")) << json::serialize(killed);
  EXPECT_TRUE(killed.at("oom_killed").as_bool());
  EXPECT_THAT(notices_of(killed), HasSubstr("The memory of the target was used up"));
  const json::object after = agent.run("echo there; sh -c 'kill -9 $$'; exit $?");
  EXPECT_EQ(code_of(after), 137);
  EXPECT_THAT(output_of(after), StartsWith("there"));
  EXPECT_FALSE(after.contains("oom_killed")) << "somebody else killed it";
}

INSTANTIATE_TEST_SUITE_P(Engines, FullMemoryTest, testing::ValuesIn(kContainerEngines),
                         engine_name);

// Only the first session that called got a notice, and the processes were unknown.
TEST_P(ContainerLossTest, AKilledOneWithoutPersistenceIsToldToEverySessionOnce) {
  world_.set("TERMINAL_CONTAINER_PERSISTENT", "false");
  LinesClient agent(world_);
  for (const char* task : {"a", "b"}) agent.run({.command = "export A=1", .task = task});
  std::vector<std::string> processes;
  for (const char* command : {"echo early; sleep 4333.5", "echo early; sleep 4334.5"}) {
    processes.push_back(agent.start_process(command));
    ASSERT_TRUE(shows(agent, processes.back(), "early"));
  }
  box({"kill", container()});
  for (const char* task : {"a", "b"}) {
    const json::object first = run_after_loss(agent, {.command = "echo \"<$A>\"", .task = task});
    EXPECT_EQ(output_of(first), "<>") << json::serialize(first);
    EXPECT_THAT(notices_of(first), HasSubstr("This session starts anew")) << task;
    const json::object second = agent.run({.command = "true", .task = task});
    EXPECT_THAT(notices_of(second), Not(HasSubstr("starts anew"))) << task;
  }
  for (const std::string& id : processes) {
    EXPECT_EQ(field(poll(agent, id), "completion_reason"), "lost");
    EXPECT_EQ(field(wait(agent, id), "completion_reason"), "lost");
    EXPECT_EQ(field(log(agent, id), "completion_reason"), "lost")
        << json::serialize(log(agent, id));
    const Finished logs = world_.run({"logs", id});
    EXPECT_EQ(logs.code(), 0) << logs.err;
    EXPECT_THAT(logs.err, HasSubstr(id + " was lost with its runner"));
    const Finished waited = world_.run({"wait", id});
    EXPECT_EQ(waited.code(), 125);
    EXPECT_THAT(waited.out, HasSubstr(id + " was lost with its runner"));
  }
}

TEST_P(ContainerLossTest, WhatALostProcessPrintedIsLeftWhereFilesAreKept) {
  LinesClient agent(world_);
  const std::string id = agent.start_process("seq 1 5; echo early; sleep 4335.5");
  ASSERT_TRUE(shows(agent, id, "early"));
  box({"kill", container()});
  EXPECT_EQ(output_of(run_after_loss(agent, {.command = "echo on"})), "on");
  EXPECT_EQ(field(poll(agent, id), "completion_reason"), "lost");
  EXPECT_EQ(field(log(agent, id), "output"), "1\n2\n3\n4\n5\nearly");
  const Finished logs = world_.run({"logs", "-n", "2", id});
  EXPECT_EQ(logs.out, "5\nearly\n");
  EXPECT_THAT(logs.err, HasSubstr(id + " was lost with its runner"));
}

INSTANTIATE_TEST_SUITE_P(Engines, ContainerLossTest, testing::ValuesIn(kContainerEngines),
                         engine_name);

}  // namespace
}  // namespace talaria::test
