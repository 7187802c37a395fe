// A runner that is killed over processes in the background: the next one says of each that it is
// lost, once, with what it printed, and nothing of them lives on.
#include <csignal>

#include "link/runner_event.h"
#include "os/proc.h"
#include "support/process_test.h"

namespace talaria::test {
namespace {

class RunnerKilledOverProcesses : public ProcessTest {
 protected:
  void kill_runner_and_start_another() {
    const Runner before = *world_.runner();
    wire_.reset();
    before.kill(SIGKILL);
    ASSERT_TRUE(before.wait_gone());
    EXPECT_EQ(world_.exec("true").code(), 0);
    ASSERT_NE(world_.runner()->instance(), before.instance());
    wire_ = std::make_unique<Wire>(world_.runner_directory());
  }

  std::vector<link::RunnerEvent> events() {
    std::vector<link::RunnerEvent> found;
    link::LinkCall call;
    call.on_note = [&](std::string_view note) {
      found.push_back(*link::decode<link::RunnerEvent>(note));
    };
    last_ = wire_->ask<link::EventsReport>(link::Events{}, std::move(call)).last;
    return found;
  }

  std::uint64_t last_ = 0;
};

TEST_F(RunnerKilledOverProcesses, EachIsLostOnceNoneLivesAndItsOutputIsThere) {
  constexpr int kJobs = 20;
  std::vector<ProcessName> processes;
  for (int i = 0; i < kJobs; ++i) {
    link::Start asked = background("p" + std::to_string(i),
                                   "i=0; while :; do echo line $((i++)); sleep 0.005; done");
    asked.notify = i % 2 == 0;
    asked.owner = "owner" + std::to_string(i);
    const link::Started started = start(asked);
    processes.push_back(*name_process(static_cast<pid_t>(started.pid)));
  }
  std::vector<std::uint64_t> printed;
  for (int i = 0; i < kJobs; ++i) {
    ASSERT_TRUE(prints("p" + std::to_string(i), "line 3\n"));
    printed.push_back(entry("p" + std::to_string(i)).total);
  }
  kill_runner_and_start_another();

  for (const ProcessName& process : processes) {
    EXPECT_TRUE(eventually([&] { return !is_alive(process); }));
  }
  const auto told = events();
  EXPECT_EQ(told.size(), static_cast<std::size_t>(kJobs));
  for (const link::RunnerEvent& event : told) {
    const int i = std::stoi(event.process.substr(1));
    EXPECT_EQ(event.kind, link::RunnerEvent::Kind::exit);
    EXPECT_EQ(event.ended, link::Ended::lost);
    EXPECT_EQ(event.announced, i % 2 == 0);
    EXPECT_EQ(event.owner, "owner" + std::to_string(i));
    EXPECT_TRUE(event.output.contains("line 3\n"));
  }
  for (int i = 0; i < kJobs; ++i) {
    const link::ProcessEntry lost = entry("p" + std::to_string(i));
    EXPECT_EQ(lost.ended, link::Ended::lost);
    EXPECT_GE(lost.total, printed[static_cast<std::size_t>(i)]);
    EXPECT_TRUE(lost.tail.starts_with("line 0\nline 1\nline 2\n"));
    EXPECT_EQ(wait("p" + std::to_string(i)).ended, link::Ended::lost);
  }

  EXPECT_TRUE(wire_->try_ask(link::Acknowledge{.up_to = last_}));
  kill_runner_and_start_another();
  EXPECT_TRUE(events().empty());
  EXPECT_EQ(entry("p0").ended, link::Ended::lost);
}

TEST_F(RunnerKilledOverProcesses, WhatItsReaperDidNotEndIsEndedByTheNext) {
  const link::Started started = start("p1", "echo on; sleep 300 & exec sleep 300");
  ASSERT_TRUE(prints("p1", "on"));
  const ProcessName process = *name_process(static_cast<pid_t>(started.pid));
  const pid_t reaper = os::read_process_stat(process.pid)->parent;
  ASSERT_GT(reaper, 1);
  ::kill(reaper, SIGSTOP);  // the nursery would let it go on
  ::kill(world_.runner()->nursery(), SIGKILL);
  ::kill(reaper, SIGSTOP);
  kill_runner_and_start_another();
  EXPECT_TRUE(eventually([&] { return !is_alive(process); }));
  EXPECT_EQ(entry("p1").ended, link::Ended::lost);
  ::kill(reaper, SIGCONT);
}

TEST_F(RunnerKilledOverProcesses, OneThatJustBeganIsKnownWithAllItsFlags) {
  link::Start asked = background("p1", "sleep 300");
  asked.notify = true;
  asked.owner = "somebody";
  asked.watch = {"a"};
  start(asked);
  kill_runner_and_start_another();
  const link::ProcessEntry lost = entry("p1");
  EXPECT_EQ(lost.ended, link::Ended::lost);
  EXPECT_TRUE(lost.notify);
  EXPECT_EQ(lost.owner, "somebody");
  EXPECT_EQ(lost.watch, (std::vector<std::string>{"a"}));
  EXPECT_EQ(lost.command, "sleep 300");
  ASSERT_EQ(events().size(), 1u);
  EXPECT_TRUE(events()[0].announced);
}

// Runner, nursery and reapers are killed at once: nobody is left who knows of a daemon that a
// command started. Its cgroup does.
class EveryGuardianKilled : public TalariaTest {
 protected:
  void SetUp() override {
    if (world_.cgroup().empty()) GTEST_SKIP() << "no cgroup can be made here";
  }

  ProcessName leave_a_daemon() {
    LinesClient agent(world_);
    agent.run("setsid sh -c 'sleep 300 & echo $! > ../daemon' </dev/null >/dev/null 2>&1");
    const ProcessName daemon = process_in("daemon");
    const Runner runner = *world_.runner();
    std::vector<pid_t> guardians = runner.reapers();
    guardians.push_back(runner.nursery());
    guardians.push_back(runner.pid());
    for (const int signal : {SIGSTOP, SIGKILL}) {
      for (const pid_t pid : guardians) ::kill(pid, signal);
    }
    EXPECT_TRUE(runner.wait_gone());
    EXPECT_TRUE(is_alive(daemon));
    return daemon;
  }
};

TEST_F(EveryGuardianKilled, TheNextRunnerEndsWhatIsLeft) {
  const ProcessName daemon = leave_a_daemon();
  EXPECT_EQ(world_.exec("true").code(), 0);
  EXPECT_TRUE(eventually([&] { return !is_alive(daemon); }));
}

TEST_F(EveryGuardianKilled, DoctorReportsWhatIsLeftAndStopEndsIt) {
  const ProcessName daemon = leave_a_daemon();
  const std::string shown = std::to_string(daemon.pid) + " (sleep)";
  EXPECT_NE(world_.run({"doctor"}).out.find(shown), std::string::npos);
  const Finished refused = world_.run({"stop", "--all"});
  EXPECT_EQ(refused.code(), 1);
  EXPECT_NE(refused.err.find(shown), std::string::npos) << refused.err;
  EXPECT_TRUE(is_alive(daemon));
  const Finished ended = world_.run({"stop", "--all", "--force"});
  EXPECT_EQ(ended.code(), 0) << ended.err;
  EXPECT_FALSE(is_alive(daemon));
  EXPECT_EQ(world_.exec("true").code(), 0);  // the next runner cleans up
}

}  // namespace
}  // namespace talaria::test
