// How the end of a process in the background reaches whoever asks: its code stays, its last words
// are there, and neither blanks in paths, a syntax error nor a parent that does not reap change
// that.
#include <fstream>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <gmock/gmock.h>

#include "os/proc.h"
#include "support/process_tool_test.h"

namespace talaria::test {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

using ProcessEndsTest = ProcessToolTest;

TEST_F(ProcessEndsTest, ACodeThatWasReportedStays) {
  std::string id;
  {
    LinesClient agent(world_);
    id = agent.start_process("(sleep 100 &); exit 7");
    EXPECT_EQ(code_of(wait(agent, id)), 7);
    EXPECT_EQ(code_of(kill(agent, id)), 7);  // its child had outlived it
    EXPECT_EQ(code_of(poll(agent, id)), 7);
  }
  ASSERT_TRUE(world_.stop_runner());
  LinesClient next(world_);  // with another runner, which knows it from the disk
  EXPECT_EQ(code_of(poll(next, id)), 7);
  EXPECT_EQ(text(poll(next, id), "completion_reason"), "exited");
  EXPECT_EQ(code_of(wait(next, id)), 7);
}

TEST_F(ProcessEndsTest, BlanksInPathsAreNoTrouble) {
  world_.use_home("a home  with 'blanks' $HOME");
  const std::string cwd = world_.directory("a work  directory; with \"quotes\"");
  world_.set("TERMINAL_CWD", cwd);
  LinesClient agent(world_);
  agent.run("export KEPT='a  b'; f() { echo \"$KEPT\"; }");
  const std::string id = agent.start_process("pwd; f; seq 1 20000; exit 3");
  EXPECT_EQ(code_of(wait(agent, id)), 3);
  const json::object read = agent.process({{"action", "read"}, {"session_id", id}, {"max", 1000}});
  EXPECT_THAT(text(read, "data"), testing::StartsWith(cwd + "\na  b\n1\n2\n"));
  EXPECT_TRUE(std::filesystem::exists(world_.runner_directory() + "/jobs/" + id));
  EXPECT_TRUE(std::filesystem::exists(world_.runner_directory() + "/spill/" + id));
}

// There is no launch of ours that could fail with a syntax error: a shell is there before it is
// given the command, so the error is what the command printed and its code what bash says.
TEST_F(ProcessEndsTest, ASyntaxErrorIsTheOutputAndTheCodeOfTheProcess) {
  LinesClient agent(world_);
  const std::string id = agent.start_process("if then");
  const json::object ended = wait(agent, id);
  EXPECT_EQ(text(ended, "status"), "exited");
  EXPECT_EQ(code_of(ended), 2);
  EXPECT_THAT(text(ended, "output"), HasSubstr("syntax error"));
  const json::object list = agent.process({{"action", "list"}});
  for (const json::value& process : list.at("processes").as_array()) {
    EXPECT_EQ(text(process.as_object(), "status"), "exited");
  }
}

// No file says how a process ended, but its reaper does; without it nobody can know.
TEST_F(ProcessEndsTest, ACodeIsAsItWasAndOneThatNobodySawIsMinusOne) {
  LinesClient agent(world_);
  for (const int code : {0, 1, 126, 127, 129, 255}) {
    const std::string id = agent.start_process("exit " + std::to_string(code));
    EXPECT_EQ(code_of(wait(agent, id)), code);
  }
  const json::object lost = wait(agent, agent.start_process("kill -KILL $PPID; sleep 100"));
  EXPECT_EQ(code_of(lost), -1);
  EXPECT_EQ(text(lost, "completion_reason"), "lost");
}

TEST_F(ProcessEndsTest, TheLastLineRightBeforeTheExitIsThere) {
  LinesClient agent(world_);
  for (int round = 0; round < 60; ++round) {
    const std::string last = "last " + std::to_string(round);
    const std::string before = round % 3 == 0 ? "seq 1 9000; " : "";
    const bool pty = round % 2 == 1;
    const std::string id = agent.start_process(before + "printf '" + last + "'", {{"pty", pty}});
    EXPECT_THAT(text(wait(agent, id), "output"), EndsWith(last));
  }
}

// This test is the subreaper above the runner and does not reap while it waits.
TEST_F(ProcessEndsTest, OrphansAreReapedAlthoughNobodyAboveDoes) {
  LinesClient agent(world_);
  const std::string id = agent.start_process(
      "for i in {1..20}; do (sh -c 'sleep 0.01; exit 1' &); done; echo on; sleep 100");
  ASSERT_TRUE(shows(agent, id, "on"));
  const Runner runner = *world_.runner();
  EXPECT_TRUE(eventually([&] {
    std::size_t orphans = 0;
    for (const pid_t pid : os::descendants(runner.pid())) {
      const auto stat = os::read_process_stat(pid);
      orphans += stat && stat->name == "sh" ? 1 : 0;
    }
    return orphans == 0;
  }));
  EXPECT_TRUE(eventually([&] { return runner.zombies().empty(); }));
  const std::string ends = agent.start_process("(setsid sleep 0.01 &); exit 4");
  EXPECT_EQ(code_of(wait(agent, ends)), 4);
  kill(agent, id);
  EXPECT_TRUE(eventually([&] { return runner.zombies().empty(); }));
}

// Upstream cannot know the code of a process it found again; here the runner stayed.
TEST_F(ProcessEndsTest, OneThatIsFoundAgainEndsAsAnyOther) {
  std::string id;
  {
    LinesClient agent(world_);
    id = agent.start_process("until [ -e ../go ]; do sleep 0.01; done; exit 9");
    agent.program().kill(SIGKILL);
  }
  LinesClient next(world_);
  EXPECT_EQ(text(poll(next, id), "status"), "running");
  std::ofstream(world_.path("go")) << "go";
  ASSERT_TRUE(eventually([&] { return text(poll(next, id), "status") == "exited"; }));
  EXPECT_EQ(code_of(poll(next, id)), 9);
  EXPECT_EQ(text(kill(next, id), "status"), "already_exited");
}

TEST_F(ProcessEndsTest, OneThatWasLostIsNotThereToBeKilled) {
  world_.expect_spilled_output();
  LinesClient agent(world_);
  const std::string id = agent.start_process("sleep 100");
  world_.runner()->kill(SIGKILL);
  ASSERT_TRUE(eventually([&] { return text(poll(agent, id), "status") == "exited"; }));
  EXPECT_EQ(text(poll(agent, id), "completion_reason"), "lost");
  EXPECT_EQ(text(kill(agent, id), "status"), "already_exited");
}

TEST_F(ProcessEndsTest, TheScreenOfOneThatWasLostIsStillThere) {
  world_.expect_spilled_output();
  LinesClient agent(world_);
  const std::string id = agent.start_process("echo shown; sleep 100", {{"pty", true}});
  ASSERT_TRUE(shows(agent, id, "shown"));
  world_.runner()->kill(SIGKILL);
  ASSERT_TRUE(eventually([&] { return text(poll(agent, id), "status") == "exited"; }));
  const json::object screen = agent.process({{"action", "screen"}, {"session_id", id}});
  ASSERT_TRUE(screen.contains("screen")) << json::serialize(screen);
  EXPECT_EQ(text(screen, "screen"), "shown\n");
  EXPECT_EQ(screen.at("rows").as_int64(), 30);
  EXPECT_EQ(screen.at("cols").as_int64(), 120);
}

}  // namespace
}  // namespace talaria::test
