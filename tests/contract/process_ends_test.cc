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

// Only 64 that ended are in memory.
TEST_F(ProcessEndsTest, AnEndStaysUntilItWasReadHoweverManyFollow) {
  constexpr int kJobs = 100;
  LinesClient agent(world_);
  std::vector<std::string> ids;
  for (int i = 0; i < kJobs; ++i) {
    const std::string number = std::to_string(i);
    ids.push_back(agent.start_process("echo out " + number + "; exit " + number));
  }
  EXPECT_TRUE(eventually([&] {
    const json::object list = agent.process({{"action", "list"}});
    return json::serialize(list).find("\"running\"") == std::string::npos;
  }));
  wait(agent, agent.start_process("true"));
  for (int i = 0; i < kJobs; ++i) {
    const json::object ended = wait(agent, ids[static_cast<std::size_t>(i)]);
    ASSERT_EQ(error_of(ended), "") << i;
    EXPECT_EQ(code_of(ended), i);
    EXPECT_EQ(text(ended, "output"), "out " + std::to_string(i) + "\n");
  }
  // What was read goes: no more is kept than what is in memory.
  for (int i = 0; i < kJobs; ++i) wait(agent, agent.start_process("true"));
  const std::string jobs = world_.runner_directory() + "/jobs";
  int files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(jobs)) {
    files += entry.is_regular_file() ? 1 : 0;
  }
  EXPECT_LE(files, 65);
}

TEST_F(ProcessEndsTest, OldOutputIsRemovedWhileTheRunnerRuns) {
  LinesClient agent(world_);
  agent.run("true");
  const std::string old = world_.runner_directory() + "/spill/old";
  std::ofstream(old) << "left by somebody";
  std::filesystem::last_write_time(
      old, std::filesystem::file_time_type::clock::now() - std::chrono::hours(48));
  const std::string id = agent.start_process("echo new");
  EXPECT_EQ(code_of(wait(agent, id)), 0);
  EXPECT_TRUE(eventually([&] { return !std::filesystem::exists(old); }));
  EXPECT_EQ(text(wait(agent, id), "output"), "new\n");
}

TEST_F(ProcessEndsTest, AMissingWorkdirIsAnErrorThatNamesIt) {
  LinesClient agent(world_);
  const json::object failed = agent.start("echo ran", {{"workdir", "/not/there"}});
  EXPECT_THAT(error_of(failed), HasSubstr("/not/there"));
  EXPECT_FALSE(failed.contains("session_id"));
  EXPECT_EQ(code_of(failed), -1);
  const json::object list = agent.process({{"action", "list"}});
  EXPECT_TRUE(list.at("processes").as_array().empty());
}

TEST_F(ProcessEndsTest, AProgramThatASignalEndsGives128PlusItsNumber) {
  LinesClient agent(world_);
  for (const std::string program : {"sh", "bash"}) {
    const std::string command = program + " -c 'kill -9 $$'";
    const json::object ended = wait(agent, agent.start_process(command));
    EXPECT_EQ(code_of(ended), 137) << command;
    EXPECT_THAT(text(ended, "output"),
                testing::MatchesRegex("bash: line 1: +[0-9]+ Killed +" + program + " -c .*\n"));
    const json::object run = agent.run(command);
    EXPECT_EQ(code_of(run), 137) << command;
    EXPECT_THAT(output_of(run), testing::ContainsRegex("bash: line 1: +[0-9]+ Killed"));
    EXPECT_EQ(world_.exec(command).code(), 137) << command;
  }
  const json::object by_term = wait(agent, agent.start_process("sh -c 'kill -TERM $$'"));
  EXPECT_EQ(code_of(by_term), 143);
  EXPECT_EQ(text(by_term, "output"), "Terminated\n");
  const json::object script =
      agent.call("execute_code", {{"code", "import os; os.kill(os.getpid(), 9)"}});
  EXPECT_THAT(error_of(script), HasSubstr("137"));
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
