// The runner is killed with SIGKILL, or one of the processes between it and a command is.
#include <algorithm>
#include <csignal>
#include <set>

#include "support/talaria_test.h"

namespace talaria::test {
namespace {

using std::chrono::seconds;

class RunnerKilledTest : public TalariaTest {
 protected:
  void kill_runner() {
    const Runner runner = *world_.runner();
    runner.kill(SIGKILL);
    EXPECT_TRUE(runner.wait_gone());
  }

  static std::vector<ProcessName> names(const std::vector<pid_t>& pids) {
    std::vector<ProcessName> found;
    for (const pid_t pid : pids) {
      EXPECT_GT(pid, 0);
      if (const auto name = name_process(pid)) found.push_back(*name);
    }
    return found;
  }
};

TEST_F(RunnerKilledTest, InMidCommandTheAnswerIsATypedErrorAndTheTreeIsGone) {
  LinesClient agent(world_);
  agent.run("export A=kept; f() { echo f; }");
  const int id =
      agent.send({.command = "setsid sh -c 'echo $$ > ../pid; exec sleep 300' & sleep 300"});
  const ProcessName inner = process_in("pid");
  kill_runner();
  const json::object result = agent.result(id);
  EXPECT_NE(error_of(result).find("runner_lost"), std::string::npos) << error_of(result);
  EXPECT_EQ(code_of(result), -1);
  EXPECT_TRUE(eventually([&] { return !is_alive(inner); }, seconds(5)));
  EXPECT_EQ(output_of(agent.run("echo $A; f")), "kept\nf");
}

TEST_F(RunnerKilledTest, ExecSaysSoWithItsOwnCode) {
  auto talaria = world_.start({"exec", "echo $$ > ../pid; echo part; sleep 300"});
  const ProcessName shell = process_in("pid");
  ASSERT_TRUE(talaria->read_until_contains("part"));
  kill_runner();
  const auto status = talaria->wait();
  ASSERT_TRUE(status);
  EXPECT_EQ(exit_code_of(*status), 125);
  EXPECT_FALSE(talaria->err().empty());
  EXPECT_TRUE(eventually([&] { return !is_alive(shell); }, seconds(5)));
}

TEST_F(RunnerKilledTest, ACommandWithSideEffectsIsNeverRunAgain) {
  LinesClient agent(world_);
  const int id = agent.send({.command = "echo x >> ../runs; sleep 300"});
  ASSERT_TRUE(appears("runs"));
  kill_runner();
  EXPECT_NE(error_of(agent.result(id)), "");
  EXPECT_EQ(output_of(agent.run("cat ../runs")), "x");
}

TEST_F(RunnerKilledTest, WhatWasSpilledCanStillBeRead) {
  LinesClient agent(world_);
  const json::object big = agent.run("seq 1 400000");
  const std::string file(big.at("full_output_path").as_string());
  kill_runner();
  EXPECT_EQ(output_of(agent.run("tail -1 '" + file + "'")), "400000");
  std::filesystem::remove(file);
}

TEST_F(RunnerKilledTest, BetweenCommandsNobodyNotices) {
  LinesClient agent(world_);
  for (int i = 1; i <= 3; ++i) {
    EXPECT_EQ(output_of(agent.run("N=$((N + 1)); export N; echo $N")), std::to_string(i));
    kill_runner();
  }
  EXPECT_EQ(output_of(agent.run("echo $N")), "3");
}

TEST_F(RunnerKilledTest, EveryCallUnderWayIsAnsweredOnce) {
  LinesClient agent(world_);
  std::vector<int> ids;
  for (int i = 0; i < 20; ++i)
    ids.push_back(agent.send({.command = "echo x >> ../running; sleep 300"}));
  ASSERT_TRUE(eventually([&] { return world_.read("running").size() == 40; }));
  kill_runner();
  for (const int id : ids) EXPECT_NE(error_of(agent.result(id)), "");
  EXPECT_EQ(output_of(agent.run("echo next")), "next");
}

TEST_F(RunnerKilledTest, ByTermTheAnswerComesToo) {
  LinesClient agent(world_);
  const int id = agent.send({.command = "echo $$ > ../pid; sleep 300"});
  const ProcessName shell = process_in("pid");
  EXPECT_TRUE(world_.stop_runner());
  EXPECT_NE(error_of(agent.result(id)), "");
  EXPECT_TRUE(eventually([&] { return !is_alive(shell); }, seconds(5)));
  EXPECT_EQ(output_of(agent.run("echo next")), "next");
}

TEST_F(RunnerKilledTest, AReaperKilledInMidCommandIsATypedErrorAndTheTreeIsGone) {
  LinesClient agent(world_);
  const int id = agent.send(
      {.command =
           "echo $PPID > ../reaper; setsid sh -c 'echo $$ > ../pid; exec sleep 300' & sleep 300"});
  const ProcessName inner = process_in("pid");
  const ProcessName reaper = process_in("reaper");
  ::kill(reaper.pid, SIGKILL);
  const json::object result = agent.result(id);
  EXPECT_NE(error_of(result).find("runner_lost"), std::string::npos) << error_of(result);
  EXPECT_TRUE(eventually([&] { return !is_alive(inner); }, seconds(5)));
  EXPECT_EQ(output_of(agent.run("echo next")), "next");
}

TEST_F(RunnerKilledTest, AReaperKilledDoesNotDisturbOtherCommands) {
  LinesClient agent(world_);
  const int other =
      agent.send({.command = "touch on; until [ -e ../go ]; do sleep 0.01; done; echo whole"});
  const int id = agent.send({.command = "echo $PPID > ../reaper; sleep 300"});
  const ProcessName reaper = process_in("reaper");
  ASSERT_TRUE(eventually([&] { return std::filesystem::exists(world_.path("work/on")); }));
  ::kill(reaper.pid, SIGKILL);
  EXPECT_NE(error_of(agent.result(id)), "");
  agent.run("touch ../go");
  EXPECT_EQ(output_of(agent.result(other)), "whole");
}

TEST_F(RunnerKilledTest, WarmShellsKilledAreReplaced) {
  LinesClient agent(world_);
  agent.run("export A=kept");
  const Runner runner = *world_.runner();
  for (int round = 0; round < 3; ++round) {
    ASSERT_TRUE(eventually([&] { return !runner.shells().empty(); }));
    const std::vector<ProcessName> shells = names(runner.shells());
    for (const ProcessName& shell : shells) ::kill(shell.pid, SIGKILL);
    ASSERT_TRUE(eventually([&] { return std::ranges::none_of(shells, is_alive); }));
    EXPECT_EQ(output_of(agent.run("echo $A")), "kept");
  }
}

TEST_F(RunnerKilledTest, WarmReapersKilledAreReplacedAndTheirShellsEnded) {
  LinesClient agent(world_);
  agent.run("export A=kept");
  const Runner runner = *world_.runner();
  for (int round = 0; round < 3; ++round) {
    ASSERT_TRUE(eventually([&] { return !runner.shells().empty(); }));
    const std::vector<ProcessName> reapers = names(runner.reapers());
    const std::vector<ProcessName> shells = names(runner.shells());
    for (const ProcessName& reaper : reapers) ::kill(reaper.pid, SIGKILL);
    ASSERT_TRUE(eventually([&] { return std::ranges::none_of(reapers, is_alive); }));
    EXPECT_EQ(output_of(agent.run("echo $A")), "kept");
    EXPECT_TRUE(eventually([&] { return std::ranges::none_of(shells, is_alive); }, seconds(5)));
  }
}

// Killed in the very moment it gets its command: the answer may be that it was killed, but it
// comes, and the next command works.
TEST_F(RunnerKilledTest, WarmShellsKilledWhileTheyAreTakenGiveAnHonestAnswer) {
  LinesClient agent(world_);
  agent.run("export A=kept");
  const Runner runner = *world_.runner();
  for (int round = 0; round < 20; ++round) {
    const int id = agent.send({.command = "echo $A"});
    for (const pid_t shell : runner.shells()) ::kill(shell, SIGKILL);
    const json::object result = agent.result(id);
    EXPECT_TRUE(output_of(result) == "kept" || code_of(result) != 0);
  }
  EXPECT_TRUE(eventually([&] { return output_of(agent.run("echo $A")) == "kept"; }));
}

TEST_F(RunnerKilledTest, ANurseryKilledBetweenCommandsIsReplaced) {
  LinesClient agent(world_);
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ(output_of(agent.run("export A=kept; echo $A")), "kept");
    const Runner runner = *world_.runner();
    std::vector<int> ids;  // more at once than reapers are kept
    for (int i = 0; i < 16; ++i) ids.push_back(agent.send({.command = "sleep 0.1; echo $A"}));
    for (const int id : ids) EXPECT_EQ(output_of(agent.result(id)), "kept");
    ASSERT_TRUE(eventually([&] { return runner.nursery() > 0; }));
    const ProcessName nursery = names({runner.nursery()}).at(0);
    ::kill(nursery.pid, SIGKILL);
    ASSERT_TRUE(eventually([&] { return !is_alive(nursery); }));
  }
  for (int i = 0; i < 5; ++i) EXPECT_EQ(output_of(agent.run("echo $A")), "kept");
}

TEST_F(RunnerKilledTest, ANurseryKilledInMidCommandDoesNotDisturbIt) {
  LinesClient agent(world_);
  const int id =
      agent.send({.command = "touch on; until [ -e ../go ]; do sleep 0.01; done; echo whole"});
  ASSERT_TRUE(eventually([&] { return std::filesystem::exists(world_.path("work/on")); }));
  ::kill(world_.runner()->nursery(), SIGKILL);
  agent.run("touch ../go");
  EXPECT_EQ(output_of(agent.result(id)), "whole");
  const Runner runner = *world_.runner();
  EXPECT_TRUE(eventually([&] { return runner.zombies().empty(); }));
}

TEST_F(RunnerKilledTest, ANurseryThatIsStoppedAndGoesOnLosesNoCommand) {
  LinesClient agent(world_);
  agent.run("true");
  const pid_t nursery = world_.runner()->nursery();
  ASSERT_GT(nursery, 0);
  ::kill(nursery, SIGSTOP);
  std::vector<int> ids;
  for (int i = 0; i < 30; ++i) ids.push_back(agent.send({.command = "echo ran"}));
  // The runner itself still answers.
  agent.send_line(R"({"id":500,"method":"env.list"})");
  EXPECT_TRUE(agent.answer(500).contains("result"));
  ::kill(nursery, SIGCONT);
  for (const int id : ids) EXPECT_EQ(output_of(agent.result(id)), "ran");
}

TEST_F(RunnerKilledTest, WarmShellsStoppedDoNotHoldACommandForEver) {
  LinesClient agent(world_);
  agent.run("export A=kept");
  const Runner runner = *world_.runner();
  ASSERT_TRUE(eventually([&] { return runner.shells().size() >= 2; }));
  for (const pid_t shell : runner.shells()) ::kill(shell, SIGSTOP);
  // One that was stopped before it was ready is not taken.
  const json::object result = agent.run({.command = "echo $A", .timeout = 1});
  EXPECT_TRUE(code_of(result) == 124 || output_of(result) == "kept") << code_of(result);
}

TEST_F(RunnerKilledTest, AReaperServesOneCommandAfterTheOther) {
  LinesClient agent(world_);
  std::set<std::string> reapers;
  for (int i = 0; i < 30; ++i) reapers.insert(output_of(agent.run("echo $PPID")));
  EXPECT_LE(reapers.size(), 8u);
}

// They are free for the next command, and not there to be seen: no zombie, no more than a few.
TEST_F(RunnerKilledTest, FreeReapersKilledAreReplaced) {
  LinesClient agent(world_);
  std::vector<int> ids;
  for (int i = 0; i < 16; ++i) ids.push_back(agent.send({.command = "sleep 0.1; echo $A"}));
  for (const int id : ids) (void)agent.result(id);
  const Runner runner = *world_.runner();
  EXPECT_TRUE(eventually([&] { return runner.reapers().size() <= 12; }));
  const std::vector<ProcessName> reapers = names(runner.reapers());
  for (const ProcessName& reaper : reapers) ::kill(reaper.pid, SIGKILL);
  ASSERT_TRUE(eventually([&] { return std::ranges::none_of(reapers, is_alive); }));
  for (int i = 0; i < 20; ++i) EXPECT_EQ(output_of(agent.run("echo ran")), "ran");
}

TEST_F(RunnerKilledTest, ARunnerThatIsStoppedAndGoesOnLosesNothing) {
  LinesClient agent(world_);
  agent.run("true");
  const Runner runner = *world_.runner();
  const int id = agent.send(
      {.command = "touch on; seq 1 5000; until [ -e ../go ]; do sleep 0.01; done; echo end"});
  ASSERT_TRUE(eventually([&] { return std::filesystem::exists(world_.path("work/on")); }));
  runner.kill(SIGSTOP);
  const int meanwhile = agent.send({.command = "echo later"});
  std::filesystem::create_directory(world_.path("go"));
  runner.kill(SIGCONT);
  EXPECT_TRUE(output_of(agent.result(id)).ends_with("5000\nend"));
  EXPECT_EQ(output_of(agent.result(meanwhile)), "later");
}

TEST_F(RunnerKilledTest, AReaperThatItsCommandStopsGoesOn) {
  LinesClient agent(world_);
  EXPECT_EQ(output_of(agent.run({.command = "kill -STOP $PPID; echo on", .timeout = 60})), "on");
  EXPECT_EQ(output_of(agent.run("echo next")), "next");
}

TEST_F(RunnerKilledTest, AReaperThatIsStoppedAgainAndAgainHoldsNothingForEver) {
  LinesClient agent(world_);
  const std::string stop_it = "trap '' TERM; echo $$ > ../pid; while :; do kill -STOP $PPID; done";
  const json::object result = agent.run({.command = stop_it, .timeout = 1});
  EXPECT_NE(code_of(result), 0);
  const ProcessName shell = process_in("pid");
  EXPECT_TRUE(eventually([&] { return !is_alive(shell); }, seconds(5)));
  EXPECT_EQ(output_of(agent.run("echo next")), "next");
}

// A nursery hears when a reaper is stopped; reapers that have lost theirs serve no more.
TEST_F(RunnerKilledTest, AReaperThatItsCommandStopsGoesOnAfterTheNurseryWasKilled) {
  LinesClient agent(world_);
  agent.run("true");
  const ProcessName nursery = names({world_.runner()->nursery()}).at(0);
  ::kill(nursery.pid, SIGKILL);
  ASSERT_TRUE(eventually([&] { return !is_alive(nursery); }));
  for (int i = 0; i < 4; ++i) agent.run("export A=" + std::to_string(i));
  EXPECT_EQ(output_of(agent.run({.command = "kill -STOP $PPID; echo on", .timeout = 60})), "on");
}

// Whatever made it (runc, podman): nothing may stay awake because of it.
TEST_F(RunnerKilledTest, ACgroupThatACommandMadeInItsOwnGoesWithIt) {
  if (world_.cgroup().empty()) return;  // none can be made here, nor by a command
  LinesClient agent(world_);
  const std::string make = "mkdir " +
                           world_.cgroup().substr(0, world_.cgroup().find("/talaria-test")) +
                           "$(sed -n 's/^0:://p' /proc/self/cgroup)/made";
  EXPECT_EQ(code_of(agent.run(make)), 0);
  EXPECT_NE(error_of(agent.run(make + "; kill -9 $PPID; sleep 10")), "");
}

TEST_F(RunnerKilledTest, EndedCommandsKeepNoMemoryFiles) {
  LinesClient agent(world_);
  for (int i = 0; i < 10; ++i) agent.run("export A=" + std::to_string(i));
  const Runner runner = *world_.runner();
  const auto memory_files = [&] {
    int count = 0;
    const std::string fds = "/proc/" + std::to_string(runner.pid()) + "/fd";
    for (const auto& entry : std::filesystem::directory_iterator(fds)) {
      std::error_code ignored;
      const auto target = std::filesystem::read_symlink(entry.path(), ignored).string();
      count += target.contains("memfd:") ? 1 : 0;
    }
    return count;
  };
  EXPECT_TRUE(eventually([&] { return memory_files() == 0; })) << memory_files();
}

// A file a command may write to, at the size it says it has.
TEST_F(RunnerKilledTest, ADumpBlownUpByItsCommandHarmsOnlyThatCommand) {
  LinesClient agent(world_);
  const std::string blow_up =
      "trap 'for f in /proc/'$(cut -d. -f1 /proc/sys/kernel/osrelease >/dev/null; "
      "ps -o ppid= -p $(ps -o ppid= -p $PPID))'/fd/*; do case $(readlink $f) in *talaria-dump*) "
      "truncate -s 100T $f;; esac; done' EXIT; export A=1";
  agent.run(blow_up);
  EXPECT_EQ(output_of(agent.run("echo next")), "next");
}

// Nobody reports the end then; the runner asks the kernel.
TEST_F(RunnerKilledTest, AnEndIsWhatItWasAlthoughNurseryAndReaperAreStopped) {
  LinesClient agent(world_);
  const int id = agent.send(
      {.command = "echo $PPID > ../reaper; until [ -e ../go ]; do sleep 0.02; done; echo said; "
                  "exit 3",
       .timeout = 20});
  const ProcessName reaper = process_in("reaper");
  ::kill(world_.runner()->nursery(), SIGSTOP);
  ::kill(reaper.pid, SIGSTOP);
  std::filesystem::create_directory(world_.path("go"));
  const json::object result = agent.result(id);
  EXPECT_EQ(code_of(result), 3);
  EXPECT_EQ(output_of(result), "said");
  EXPECT_NE(notices_of(result).find("did not report"), std::string::npos);
}

// What it is just starting is stopped with it, and must not outlive the runner.
TEST_F(RunnerKilledTest, AStoppedReaperDoesNotOutliveTheRunner) {
  LinesClient agent(world_);
  const int id = agent.send({.command = "echo $PPID > ../reaper; sleep 300"});
  const ProcessName reaper = process_in("reaper");
  ::kill(world_.runner()->nursery(), SIGSTOP);
  ::kill(reaper.pid, SIGSTOP);
  world_.runner()->kill(SIGKILL);
  ::kill(world_.runner()->nursery(), SIGCONT);
  (void)agent.answer(id);
}

TEST_F(RunnerKilledTest, NoZombieStaysInARunnerThatRanMany) {
  LinesClient agent(world_);
  for (int i = 0; i < 30; ++i) agent.run("(sleep 0.01 &) ; true");
  const Runner runner = *world_.runner();
  EXPECT_TRUE(eventually([&] { return runner.zombies().empty(); }));
}

TEST_F(RunnerKilledTest, DescriptorsOfARunnerThatRanManyStayTheSame) {
  LinesClient agent(world_);
  const Runner runner = (agent.run("true"), *world_.runner());
  const auto run_many = [&] {
    for (int i = 0; i < 40; ++i) agent.run("echo $RANDOM; sleep 300 & kill $!");
    eventually([&] { return runner.reapers().size() <= 2; }, seconds(2));
    return runner.open_descriptors();
  };
  run_many();
  run_many();  // now as many ended commands are remembered as ever will be
  const std::size_t before = run_many();
  EXPECT_TRUE(eventually([&] { return runner.open_descriptors() <= before + 12; }));
  EXPECT_LE(run_many(), before + 12);
}

}  // namespace
}  // namespace talaria::test
