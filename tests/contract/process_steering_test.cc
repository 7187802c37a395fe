// What is done to processes in the background, through the built program: input, signals, kills,
// limits, and what ends them.
#include <fstream>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <gmock/gmock.h>

#include "support/process_tool_test.h"

namespace talaria::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;
using testing::HasSubstr;

using ProcessSteeringTest = ProcessToolTest;

TEST_F(ProcessSteeringTest, KillEndsWhatIgnoresTerm) {
  LinesClient agent(world_);
  const std::string id = agent.start_process("trap '' TERM; echo $$ > ../pid; sleep 60 & sleep 60");
  const ProcessName shell = process_in("pid");
  const auto start = steady_clock::now();
  const json::object killed = kill(agent, id);
  EXPECT_LT(since(start), milliseconds(3000));
  EXPECT_EQ(text(killed, "status"), "killed");
  EXPECT_EQ(text(killed, "session_id"), id);
  EXPECT_EQ(text(killed, "completion_reason"), "killed");
  EXPECT_EQ(text(killed, "termination_source"), "process.kill");
  EXPECT_FALSE(is_alive(shell));
  EXPECT_EQ(code_of(poll(agent, id)), -15);
  EXPECT_EQ(text(poll(agent, id), "completion_reason"), "killed");
}

// The child holds its TERM back, so that its parent can see that it is there when its own comes.
TEST_F(ProcessSteeringTest, DescendantsAreToldBeforeTheirParent) {
  LinesClient agent(world_);
  const std::string id = agent.start_process(
      "python3 -c 'import signal, time; signal.pthread_sigmask(signal.SIG_BLOCK, "
      "[signal.SIGTERM]); print(\"ready\", flush=True); time.sleep(100)' & child=$!; "
      "trap 'grep ShdPnd /proc/$child/status; exit' TERM; wait");
  ASSERT_TRUE(shows(agent, id, "ready"));
  EXPECT_EQ(text(kill(agent, id), "status"), "killed");
  EXPECT_THAT(text(poll(agent, id), "output_preview"), HasSubstr("ShdPnd:\t0000000000004000"));
}

TEST_F(ProcessSteeringTest, AShellSaysNothingOfTheDeathOfItsChild) {
  LinesClient agent(world_);
  for (int round = 0; round < 10; ++round) {
    const std::string id = agent.start_process("echo ready; sleep 100; echo not here");
    ASSERT_TRUE(shows(agent, id, "ready"));
    kill(agent, id);
    EXPECT_EQ(text(poll(agent, id), "output_preview"), "ready\n");
  }
}

TEST_F(ProcessSteeringTest, KillEndsWhatLeftItsSessionOrDoubleForked) {
  LinesClient agent(world_);
  const std::string id = agent.start_process(
      "setsid sh -c 'echo $$ > ../a; sleep 100' & (setsid sh -c 'echo $$ > ../b; exec sleep 100' "
      "&) ; sleep 100");
  const ProcessName in_session = process_in("a");
  const ProcessName orphan = process_in("b");
  ASSERT_GT(in_session.pid, 0);
  ASSERT_GT(orphan.pid, 0);
  EXPECT_EQ(text(kill(agent, id), "status"), "killed");
  EXPECT_FALSE(is_alive(in_session));
  EXPECT_FALSE(is_alive(orphan));
}

TEST_F(ProcessSteeringTest, KillAllEndsThoseOfATaskAndLeavesWhatIsKept) {
  LinesClient agent(world_);
  const std::string mine = agent.start_process("sleep 100");
  const std::string kept = agent.start_process("sleep 100", {{"lifetime", "keep"}});
  const json::object other = agent.result(
      agent.send("terminal", {{"command", "sleep 100"}, {"background", true}}, "another-task"));
  const auto killed = [&](json::object params) {
    return agent.ask("processes.kill_all", std::move(params)).at("killed").as_int64();
  };
  EXPECT_EQ(killed({{"task", "t"}}), 1);
  EXPECT_EQ(text(poll(agent, mine), "termination_source"), "kill_all");
  EXPECT_EQ(text(poll(agent, kept), "status"), "running");
  EXPECT_EQ(text(poll(agent, text(other, "session_id")), "status"), "running");
  EXPECT_EQ(killed({}), 1);
  EXPECT_EQ(killed({{"all", true}}), 1);
  EXPECT_EQ(text(poll(agent, kept), "status"), "exited");
}

TEST_F(ProcessSteeringTest, AWriteThatNobodyReadsCanBeGivenUp) {
  LinesClient agent(world_);
  const std::string id = agent.start_process("sleep 100", {{"stdin", true}});
  const int writing = agent.send(
      "process", {{"action", "write"}, {"session_id", id}, {"data", std::string(1 << 20, 'x')}});
  EXPECT_EQ(text(poll(agent, id), "status"), "running");
  agent.cancel(writing);
  EXPECT_EQ(text(agent.result(writing), "status"), "interrupted");
  EXPECT_EQ(text(kill(agent, id), "status"), "killed");
}

TEST_F(ProcessSteeringTest, ManyWhoWaitKeepNobodyFromEndingIt) {
  LinesClient agent(world_);
  const std::string id = agent.start_process("sleep 100");
  std::vector<int> waits;
  for (int i = 0; i < 400; ++i) {
    waits.push_back(agent.send("process", {{"action", "wait"}, {"session_id", id}}));
  }
  EXPECT_EQ(output_of(agent.run("echo works")), "works");
  EXPECT_EQ(text(kill(agent, id), "status"), "killed");
  for (const int wait : waits) EXPECT_EQ(text(agent.result(wait), "status"), "exited");
}

TEST_F(ProcessSteeringTest, WhatIsNoTextIsNotTyped) {
  LinesClient agent(world_);
  const std::string id = agent.start_process("cat", {{"stdin", true}});
  for (const json::value& data : {json::value(5), json::value(json::array{1})}) {
    EXPECT_EQ(
        text(agent.process({{"action", "submit"}, {"session_id", id}, {"data", data}}), "error"),
        "data must be a string");
  }
  kill(agent, id);
}

TEST_F(ProcessSteeringTest, KillingWhatEndedOrNeverWas) {
  LinesClient agent(world_);
  const std::string id = agent.start_process("exit 7");
  wait(agent, id);
  const json::object again = kill(agent, id);
  EXPECT_EQ(text(again, "status"), "already_exited");
  EXPECT_EQ(code_of(again), 7);
  const json::object unknown = kill(agent, "proc_ffffffffffff");
  EXPECT_EQ(text(unknown, "status"), "not_found");
  EXPECT_EQ(text(unknown, "error"), "No process with ID proc_ffffffffffff");
}

TEST_F(ProcessSteeringTest, WithoutInputThereIsNothingToWriteTo) {
  LinesClient agent(world_);
  const std::string id = agent.start_process("sleep 100");
  for (const char* action : {"write", "submit", "close"}) {
    const json::object refused =
        agent.process({{"action", action}, {"session_id", id}, {"data", "x"}});
    EXPECT_EQ(text(refused, "status"), "error");
    EXPECT_EQ(text(refused, "error"),
              "Process stdin not available (non-local backend or stdin closed)");
  }
  kill(agent, id);
  for (const char* action : {"write", "submit", "close"}) {
    const json::object late = agent.process({{"action", action}, {"session_id", id}});
    EXPECT_EQ(text(late, "status"), "already_exited");
    EXPECT_EQ(text(late, "error"), "Process has already finished");
  }
}

TEST_F(ProcessSteeringTest, StdinWorksWithoutATerminal) {
  LinesClient agent(world_);
  const std::string id = agent.start_process(
      "while read -r line; do echo got $line; done; echo end", {{"stdin", true}});
  const json::object wrote =
      agent.process({{"action", "submit"}, {"session_id", id}, {"data", "eins zwöi"}});
  EXPECT_EQ(text(wrote, "status"), "ok");
  EXPECT_EQ(wrote.at("bytes_written").as_int64(), 10);  // characters, with the newline
  EXPECT_TRUE(shows(agent, id, "got eins zwöi"));
  const json::object closed = agent.process({{"action", "close"}, {"session_id", id}});
  EXPECT_EQ(text(closed, "message"), "stdin closed");
  const json::object ended = wait(agent, id);
  EXPECT_EQ(code_of(ended), 0);
  EXPECT_THAT(text(ended, "output"), HasSubstr("end"));
}

TEST_F(ProcessSteeringTest, ATerminalEchoesAndEndsItsInput) {
  LinesClient agent(world_);
  const std::string id = agent.start_process("cat", {{"pty", true}});
  EXPECT_EQ(
      text(agent.process({{"action", "submit"}, {"session_id", id}, {"data", "hello"}}), "status"),
      "ok");
  ASSERT_TRUE(shows(agent, id, "hello"));
  const json::object closed = agent.process({{"action", "close"}, {"session_id", id}});
  EXPECT_EQ(text(closed, "message"), "EOF sent");
  const json::object ended = wait(agent, id);
  EXPECT_EQ(code_of(ended), 0);
  EXPECT_THAT(text(ended, "output"), HasSubstr("hello"));
}

TEST_F(ProcessSteeringTest, TheOldestFinishedOneMakesRoomRunningOnesNever) {
  world_.set("TERMINAL_MAX_FINISHED_PROCESSES", "3");
  LinesClient agent(world_);
  const std::string running = agent.start_process("sleep 100");
  std::vector<std::string> finished;
  for (int i = 0; i < 4; ++i) {
    finished.push_back(agent.start_process("true"));
    wait(agent, finished.back());
  }
  const std::string last = agent.start_process("true");
  wait(agent, last);
  EXPECT_EQ(text(poll(agent, finished[0]), "status"), "not_found");
  EXPECT_EQ(text(poll(agent, last), "status"), "exited");
  EXPECT_EQ(text(poll(agent, running), "status"), "running");
  EXPECT_LE(agent.process({{"action", "list"}}).at("processes").as_array().size(), 4u + 1);
  for (int i = 0; i < 100; ++i) agent.run("true");  // what was waited for is no process
  EXPECT_EQ(text(poll(agent, last), "status"), "exited");
  kill(agent, running);
}

TEST_F(ProcessSteeringTest, RetentionCountsFromTheEnd) {
  world_.set("TERMINAL_PROCESS_RETENTION_SECONDS", "2");
  LinesClient agent(world_);
  const std::string longer = agent.start_process("sleep 2.5");
  wait(agent, longer);
  wait(agent, agent.start_process("true"));
  EXPECT_EQ(text(poll(agent, longer), "status"), "exited");
  EXPECT_TRUE(eventually([&] { return text(poll(agent, longer), "status") == "not_found"; }));
}

TEST_F(ProcessSteeringTest, SignalsGoByName) {
  LinesClient agent(world_);
  const std::string id = agent.start_process(
      "trap 'echo usr1' USR1; trap 'echo hup; exit 9' HUP; echo ready; while :; do sleep 0.05; "
      "done");
  ASSERT_TRUE(shows(agent, id, "ready"));
  const json::object sent =
      agent.process({{"action", "signal"}, {"session_id", id}, {"signal", "USR1"}});
  EXPECT_EQ(text(sent, "status"), "ok");
  EXPECT_EQ(text(sent, "signal"), "SIGUSR1");
  EXPECT_TRUE(shows(agent, id, "usr1"));
  agent.process({{"action", "signal"}, {"session_id", id}, {"signal", "sighup"}});
  EXPECT_EQ(code_of(wait(agent, id)), 9);
  const json::object wrong =
      agent.process({{"action", "signal"}, {"session_id", id}, {"signal", "NOPE"}});
  EXPECT_EQ(text(wrong, "error"), "Unknown signal: NOPE. Use a name such as INT, HUP or USR1");
}

TEST_F(ProcessSteeringTest, OnTimeoutBackgroundHandsTheCommandOver) {
  LinesClient agent(world_);
  const json::object result = agent.call(
      "terminal", {{"command", "echo begun; until [ -e ../go ]; do sleep 0.01; done; echo done"},
                   {"timeout", 1},
                   {"on_timeout", "background"}});
  EXPECT_TRUE(result.at("exit_code").is_null());
  EXPECT_EQ(text(result, "status"), "running");
  EXPECT_THAT(output_of(result), HasSubstr("begun"));
  const std::string id = text(result, "session_id");
  EXPECT_EQ(text(poll(agent, id), "status"), "running");
  std::ofstream(world_.path("go")) << "go";
  const json::object ended = wait(agent, id);
  EXPECT_EQ(code_of(ended), 0);
  EXPECT_EQ(text(ended, "output"), "begun\ndone\n");
  const json::object quick = agent.call(
      "terminal", {{"command", "echo quick"}, {"timeout", 5}, {"on_timeout", "background"}});
  EXPECT_EQ(code_of(quick), 0);
  EXPECT_FALSE(quick.contains("session_id"));
}

TEST_F(ProcessSteeringTest, WhatIsHandedOverGrowsNoOlderThanTheConfigurationAllows) {
  world_.set("TERMINAL_PROCESS_MAX_AGE_SECONDS", "2");
  LinesClient agent(world_);
  agent.ask("events.subscribe");
  const json::object asked{{"command", "sleep 100"},
                           {"timeout", 1},
                           {"on_timeout", "background"},
                           {"notify_on_complete", true}};
  const json::object handed = agent.result(agent.send("terminal", asked, "t", "chat"));
  const json::object event = agent.event();
  EXPECT_EQ(text(event, "session_id"), text(handed, "session_id"));
  EXPECT_EQ(text(event, "session_key"), "chat");
  EXPECT_EQ(text(event, "termination_source"), "max_age");
}

TEST_F(ProcessSteeringTest, WhatIsHandedOverCountsAsAProcess) {
  world_.set("TERMINAL_MAX_PROCESSES", "1");
  LinesClient agent(world_);
  const json::object asked{{"command", "sleep 100"}, {"timeout", 1}, {"on_timeout", "background"}};
  const std::string id = text(agent.call("terminal", asked), "session_id");
  const json::object refused = agent.call("terminal", asked);
  EXPECT_EQ(code_of(refused), 124);
  EXPECT_FALSE(refused.contains("session_id"));
  EXPECT_THAT(notices_of(refused), HasSubstr("terminal.max_processes"));
  EXPECT_THAT(error_of(agent.start("sleep 100")), HasSubstr("terminal.max_processes"));
  kill(agent, id);
}

TEST_F(ProcessSteeringTest, AnOldProcessIsKilledAndSaysWhy) {
  LinesClient agent(world_);
  const std::string id = agent.start_process("sleep 100", {{"max_age", "1s"}});
  const json::object ended = wait(agent, id);
  EXPECT_EQ(code_of(ended), -15);
  EXPECT_EQ(text(ended, "completion_reason"), "killed");
  EXPECT_EQ(text(ended, "termination_source"), "max_age");
}

TEST_F(ProcessSteeringTest, ALimitThatIsReachedIsNamed) {
  world_.set("TERMINAL_MAX_PROCESSES", "2");
  world_.set("TERMINAL_MAX_TERMINALS", "1");
  LinesClient agent(world_);
  const std::string one = agent.start_process("sleep 100", {{"pty", true}});
  const json::object terminal = agent.start("sleep 100", {{"pty", true}});
  EXPECT_THAT(error_of(terminal), HasSubstr("terminal.max_terminals"));
  const std::string two = agent.start_process("sleep 100");
  const json::object third = agent.start("sleep 100");
  EXPECT_EQ(code_of(third), -1);
  EXPECT_THAT(error_of(third), testing::StartsWith("Failed to start background process: "));
  EXPECT_THAT(error_of(third), HasSubstr("terminal.max_processes"));
  kill(agent, one);
  EXPECT_TRUE(agent.start("true").contains("session_id"));
  kill(agent, two);
}

TEST_F(ProcessSteeringTest, WaitingForInputIsSaid) {
  LinesClient agent(world_);
  const std::string reading =
      agent.start_process("read -p 'name? ' name; echo hi $name", {{"pty", true}});
  const std::string sleeping = agent.start_process("sleep 100", {{"pty", true}});
  EXPECT_TRUE(eventually([&] { return poll(agent, reading).contains("waiting_for_input"); }));
  EXPECT_FALSE(poll(agent, sleeping).contains("waiting_for_input"));
  agent.process({{"action", "submit"}, {"session_id", reading}, {"data", "you"}});
  EXPECT_THAT(text(wait(agent, reading), "output"), HasSubstr("hi you"));
  kill(agent, sleeping);
}

TEST_F(ProcessSteeringTest, GhAuthLoginWithATokenGetsNoTerminal) {
  LinesClient agent(world_);
  for (const char* command : {"gh  auth login --with-token", "GH AUTH LOGIN -h x --with-token"}) {
    const json::object started = agent.start(command, {{"pty", true}});
    EXPECT_THAT(text(started, "pty_note"),
                testing::StartsWith("PTY disabled for this command because it expects piped "
                                    "stdin/EOF"));
    wait(agent, text(started, "session_id"));
  }
}

TEST_F(ProcessSteeringTest, ItOutlivesTheControllerAndTheNextOneFindsIt) {
  std::string id;
  {
    LinesClient agent(world_);
    id = agent.start_process("echo before; until [ -e ../go ]; do sleep 0.01; done; echo after");
    ASSERT_TRUE(shows(agent, id, "before"));
    agent.program().kill(SIGKILL);
  }
  LinesClient next(world_);
  EXPECT_EQ(text(poll(next, id), "status"), "running");
  std::ofstream(world_.path("go")) << "go";
  const json::object ended = wait(next, id);
  EXPECT_EQ(code_of(ended), 0);
  EXPECT_EQ(text(ended, "output"), "before\nafter\n");
}

}  // namespace
}  // namespace talaria::test
