// A home whose sessions are spread over several runners.
#include <csignal>
#include <memory>
#include <vector>

#include "support/talaria_test.h"

namespace talaria::test {
namespace {

constexpr int kTasks = 24;

std::string task_name(int i) { return "task-" + std::to_string(i); }

class SeveralRunnersTest : public TalariaTest {
 protected:
  void SetUp() override { world_.set("TERMINAL_LOCAL_RUNNERS", "3"); }

  // Every task sets a variable of its own.
  static void set_variables(LinesClient& agent) {
    std::vector<int> calls;
    for (int i = 0; i < kTasks; ++i) {
      calls.push_back(
          agent.send({.command = "export MINE=" + std::to_string(i), .task = task_name(i)}));
    }
    for (const int call : calls) EXPECT_EQ(code_of(agent.result(call)), 0);
  }

  static void expect_variables(LinesClient& agent) {
    for (int i = 0; i < kTasks; ++i) {
      EXPECT_EQ(output_of(agent.run({.command = "echo $MINE", .task = task_name(i)})),
                std::to_string(i));
    }
  }
};

TEST_F(SeveralRunnersTest, ServeAllSessionsAndEveryProgramFindsThem) {
  {
    LinesClient agent(world_);
    set_variables(agent);
    expect_variables(agent);
  }
  EXPECT_EQ(world_.runners().size(), 3u);
  world_.set("TERMINAL_LOCAL_RUNNERS", "1");  // the number was decided when the home was new
  LinesClient another(world_);
  expect_variables(another);
  EXPECT_EQ(world_.run({"exec", "--task", task_name(7), "echo $MINE"}).out, "7\n");
  EXPECT_EQ(descendants_named("talaria-runner").size(), 3u);
}

TEST_F(SeveralRunnersTest, AreStartedWhenTheyAreNeeded) {
  EXPECT_EQ(world_.exec("echo one").out, "one\n");
  EXPECT_EQ(world_.runners().size(), 1u);
}

TEST_F(SeveralRunnersTest, OneThatIsKilledTakesNothingFromTheOthers) {
  LinesClient agent(world_);
  set_variables(agent);
  std::vector<int> calls;
  for (int i = 0; i < kTasks; ++i) {
    calls.push_back(agent.send({.command = "echo >> ../begun; until [ -e ../go ]; do sleep 0.01; "
                                           "done; echo whole",
                                .task = task_name(i)}));
  }
  ASSERT_TRUE(eventually([&] { return world_.read("begun").size() == kTasks; }));
  const Runner victim = world_.runners().back();
  victim.kill(SIGKILL);
  EXPECT_TRUE(victim.wait_gone());
  world_.exec("touch ../go");
  int whole = 0;
  for (const int call : calls) {
    const json::object result = agent.result(call);
    if (output_of(result) == "whole") {
      ++whole;
    } else {
      EXPECT_NE(error_of(result).find("runner_lost"), std::string::npos) << error_of(result);
    }
  }
  EXPECT_GT(whole, 0);
  EXPECT_LT(whole, kTasks);
  expect_variables(agent);
}

TEST_F(SeveralRunnersTest, ProcessesOfAllAreListedFollowedAndEnded) {
  std::vector<std::string> ids;
  {
    LinesClient agent(world_);
    for (int i = 0; i < kTasks; ++i) {
      const int call = agent.send(
          "terminal", {{"command", "echo started; sleep 300"}, {"background", true}}, task_name(i));
      ids.emplace_back(agent.result(call).at("session_id").as_string());
    }
  }
  EXPECT_EQ(world_.runners().size(), 3u);
  const std::string list = world_.run({"ps"}).out;
  for (const std::string& id : ids) EXPECT_NE(list.find(id), std::string::npos) << id;
  EXPECT_NE(world_.run({"logs", ids.back()}).out.find("started"), std::string::npos);
  EXPECT_EQ(exit_code_of(world_.run({"kill", ids.front()}).status), 0);
  EXPECT_EQ(exit_code_of(world_.run({"kill", "--all"}).status), 0);
  const std::string left = world_.run({"ps"}).out;
  for (const std::string& id : ids) EXPECT_EQ(left.find(id), std::string::npos) << left;
  const Finished stopped = world_.run({"stop", "--all"});
  EXPECT_EQ(exit_code_of(stopped.status), 0) << stopped.err;
  EXPECT_TRUE(eventually([] { return descendants_named("talaria-runner").empty(); }));
}

TEST_F(SeveralRunnersTest, ProgramsThatStartTogetherAgreeOnTheirNumber) {
  world_.set("TERMINAL_LOCAL_RUNNERS", "4");
  std::vector<std::unique_ptr<Program>> programs;
  for (int i = 0; i < 8; ++i) {
    if (i == 4) world_.set("TERMINAL_LOCAL_RUNNERS", "2");
    programs.push_back(
        world_.start({"exec", "--task", "shared", "echo x >> ../lines; echo $MINE"}));
  }
  for (const auto& program : programs) EXPECT_EQ(exit_code_of(program->wait().value()), 0);
  EXPECT_EQ(world_.read("lines"), "x\nx\nx\nx\nx\nx\nx\nx\n");
  EXPECT_EQ(world_.runners().size(), 1u);
}

}  // namespace
}  // namespace talaria::test
