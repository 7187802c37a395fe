// The life of a sandbox at Daytona: made, found again, stopped, started, deleted.
#include <csignal>
#include <fstream>

#include <boost/json/serialize.hpp>

#include "clouds/daytona_fixture.h"
#include "support/canary.h"

namespace talaria::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

TEST_F(DaytonaTest, CommandsRunInTheHomeThereOverALink) {
  LinesClient agent(world_);
  const json::object result = agent.run("pwd; echo \"$HOME\"; cd /tmp; export COLOR=blue");
  EXPECT_EQ(output_of(result), "/home/daytona\n/home/daytona") << result;
  EXPECT_EQ(result.at("target").as_string(), "daytona");
  EXPECT_EQ(result.at("transport").as_string(), "link");
  EXPECT_EQ(output_of(agent.run("pwd; echo $COLOR")), "/tmp\nblue");
  EXPECT_EQ(agent.end(), 0);
}

TEST_F(DaytonaTest, IsStoppedAtItsEndAndFoundAgainByItsName) {
  EXPECT_EQ(code_of(run("echo kept >~/file")), 0);
  EXPECT_TRUE(becomes("stopped"));
  world_.set("TALARIA_HOME", world_.directory("another"));  // that knows nothing of it
  const json::object result = run("cat ~/file");
  EXPECT_EQ(output_of(result), "kept") << result;
  EXPECT_EQ(notices_of(result), "");
  EXPECT_EQ(count("POST /sandbox"), 1u);
  EXPECT_EQ(count("POST /sandbox/:sandbox/start"), 1u);
  EXPECT_TRUE(becomes("stopped"));
  EXPECT_EQ(count("DELETE /sandbox/:sandbox"), 0u);
}

TEST_F(DaytonaTest, IsFoundByItsLabelAlone) {
  ask("/sandbox", R"({"name":"older","labels":{"hermes_task_id":"default"}})");
  ask("/sandbox", R"({"name":"other","labels":{"hermes_task_id":"other"}})");
  ASSERT_TRUE(becomes("started", "older"));
  EXPECT_EQ(code_of(run("true")), 0);
  EXPECT_EQ(count("POST /sandbox"), 2u);
  EXPECT_TRUE(becomes("stopped", "older"));
  EXPECT_EQ(state("other"), "started");
}

// The name alone could be another task's.
TEST_F(DaytonaTest, AnothersSandboxOfThatNameIsLeftAlone) {
  ask("/sandbox",
      std::string(R"({"name":")") + kName + R"(","labels":{"hermes_task_id":"other"}})");
  ASSERT_TRUE(becomes("started"));
  const std::string others = id();
  EXPECT_EQ(code_of(run("echo ours >~/file")), 0);
  EXPECT_EQ(state(), "started");
  EXPECT_EQ(world_.read(at_home(others, "file")), "");
  EXPECT_EQ(cloud_->sandboxes().size(), 2u);
  EXPECT_EQ(output_of(run("cat ~/file")), "ours") << "by its label";
}

TEST_F(DaytonaTest, IsStartedFromItsArchive) {
  EXPECT_EQ(code_of(run("echo kept >~/file")), 0);
  ASSERT_TRUE(becomes("stopped"));
  ask("/sandbox/" + id() + "/archive");
  ASSERT_TRUE(becomes("archived"));
  EXPECT_EQ(output_of(run("cat ~/file")), "kept");
}

TEST_F(DaytonaTest, OneThatWasStoppedIsStartedBeforeTheNextCommand) {
  LinesClient agent(world_);
  EXPECT_EQ(code_of(agent.run("echo kept >~/file; cd /tmp")), 0);
  stop_under_agent();
  const json::object result = agent.run("cat ~/file; pwd");
  EXPECT_EQ(output_of(result), "kept\n/tmp") << result;
  EXPECT_THAT(notices_of(result), HasSubstr("had been stopped and was started again"));
  EXPECT_EQ(count("POST /sandbox/:sandbox/start"), 1u);
  EXPECT_EQ(count("POST /sandbox"), 1u);
  EXPECT_EQ(agent.end(), 0);
}

TEST_F(DaytonaTest, FilesOfTheHomeAreCopiedToPathsWithSpaces) {
  const std::string skill = world_.directory("home/skills/my skill/a b") + "/read me.md";
  std::ofstream(skill) << "as it is here\n";
  EXPECT_EQ(output_of(run("cat \"$HOME/.hermes/skills/my skill/a b/read me.md\"")),
            "as it is here");
}

TEST_F(DaytonaTest, OneThatIsNotKeptIsDeleted) {
  world_.set("TERMINAL_CONTAINER_PERSISTENT", "false");
  ask("/sandbox", std::string(R"({"name":")") + kName + R"("})");
  EXPECT_EQ(code_of(run("true")), 0);
  EXPECT_TRUE(eventually([&] { return cloud_->sandboxes().size() == 1; }));
  EXPECT_EQ(count("DELETE /sandbox/:sandbox"), 1u);
  EXPECT_NE(state(), "none") << "one of the same task that is kept has nothing to do with it";
  EXPECT_THAT(leases(), IsEmpty());
}

// Both have the label of the task.
TEST_F(DaytonaTest, OneThatIsNotKeptIsNotTakenForOneThatIs) {
  world_.set("TERMINAL_CONTAINER_PERSISTENT", "false");
  LinesClient agent(world_);
  EXPECT_EQ(code_of(agent.run("true")), 0);
  world_.set("TERMINAL_CONTAINER_PERSISTENT", "true");
  EXPECT_EQ(code_of(run("true")), 0);
  EXPECT_EQ(count("POST /sandbox"), 2u);
  EXPECT_EQ(agent.end(), 0);
}

TEST_F(DaytonaTest, OneWhoseProgramWasKilledIsFoundAgain) {
  for (const bool persistent : {true, false}) {
    SCOPED_TRACE(persistent);
    begin();
    world_.set("TERMINAL_CONTAINER_PERSISTENT", persistent ? "true" : "false");
    LinesClient killed(world_);
    EXPECT_EQ(code_of(killed.run("echo kept >~/file")), 0);
    killed.program().kill(SIGKILL);
    ASSERT_TRUE(killed.program().wait());
    EXPECT_EQ(output_of(run("cat ~/file")), "kept");
    EXPECT_EQ(count("POST /sandbox"), 1u);
  }
}

// It is no sandbox that is kept, and found by its name alone.
TEST_F(DaytonaTest, OneThatIsNotKeptAndWasLeftCanBeRemoved) {
  EXPECT_EQ(code_of(run("true")), 0);
  world_.set("TERMINAL_CONTAINER_PERSISTENT", "false");
  LinesClient killed(world_);
  EXPECT_EQ(code_of(killed.run("true")), 0);
  killed.program().kill(SIGKILL);
  ASSERT_TRUE(killed.program().wait());
  world_.set("TERMINAL_CONTAINER_PERSISTENT", "true");
  ASSERT_EQ(cloud_->sandboxes().size(), 2u);
  const Finished removed = world_.run({"env", "rm", "--all", "--force", "--yes"});
  EXPECT_EQ(removed.code(), 0) << removed.err;
  EXPECT_TRUE(eventually([&] { return cloud_->sandboxes().empty(); }));
  EXPECT_THAT(leases(), IsEmpty());
}

TEST_F(DaytonaTest, WhereItsDaemonIsMayHaveToBeAskedFor) {
  begin({"--toolbox-apart"});
  LinesClient killed(world_);
  EXPECT_EQ(code_of(killed.run("true")), 0);
  EXPECT_EQ(count("GET /sandbox/:sandbox/toolbox-proxy-url"), 1u);
  killed.program().kill(SIGKILL);
  ASSERT_TRUE(killed.program().wait());
  let_a_week_pass();
  EXPECT_EQ(world_.run({"doctor", "--reap"}).code(), 0);
  EXPECT_GT(count("GET /sandbox/:sandbox/toolbox-proxy-url"), 1u) << "whether something runs there";
}

TEST_F(DaytonaTest, OneThatWasLeftIsSwept) {
  for (const bool persistent : {true, false}) {
    SCOPED_TRACE(persistent);
    begin();
    world_.set("TERMINAL_CONTAINER_PERSISTENT", persistent ? "true" : "false");
    LinesClient killed(world_);
    EXPECT_EQ(code_of(killed.run("true")), 0);
    killed.program().kill(SIGKILL);
    ASSERT_TRUE(killed.program().wait());
    EXPECT_EQ(world_.run({"doctor", "--reap"}).code(), 0);
    ASSERT_EQ(cloud_->sandboxes().size(), 1u);
    EXPECT_EQ(cloud_->sandboxes()[0].at("state").as_string(), "started") << "it is not long ago";
    let_a_week_pass();
    const Finished swept = world_.run({"doctor", "--reap", "--running"});
    EXPECT_THAT(swept.out, HasSubstr("sandbox hermes-default"));
    if (persistent) {
      EXPECT_TRUE(becomes("stopped")) << swept.out << swept.err;
    } else {
      EXPECT_TRUE(eventually([&] { return cloud_->sandboxes().empty(); })) << swept.out;
    }
  }
}

TEST_F(DaytonaTest, TwoProgramsShareOneAndTheLastStopsIt) {
  LinesClient first(world_);
  LinesClient second(world_);
  const int one = first.send({.command = "echo from-the-first >~/file"});
  const int other = second.send({.command = "true"});
  EXPECT_EQ(code_of(first.result(one)), 0);
  EXPECT_EQ(code_of(second.result(other)), 0);
  EXPECT_EQ(count("POST /sandbox"), 1u);
  EXPECT_EQ(first.end(), 0);
  EXPECT_EQ(state(), "started");
  EXPECT_EQ(output_of(second.run("cat ~/file")), "from-the-first");
  EXPECT_EQ(count("POST /sandbox/:sandbox/stop"), 0u);
  EXPECT_EQ(second.end(), 0);
  EXPECT_TRUE(becomes("stopped"));
}

// Each took the other's question whether it is used for a use, and nobody stopped it.
TEST_F(DaytonaTest, ProgramsThatEndAtTheSameTimeStopIt) {
  std::vector<std::unique_ptr<Program>> programs;
  for (const char* const name : {"a", "b", "c"}) {
    programs.push_back(world_.start(
        {"exec", std::string("echo on >~/") + name + "; until [ -e ~/go ]; do sleep 0.1; done"}));
  }
  for (const char* const name : {"a", "b", "c"}) {
    ASSERT_TRUE(eventually([&] { return !world_.read(at_home(id(), name)).empty(); }));
  }
  std::ofstream(world_.path(at_home(id(), "go"))) << "now";
  for (const auto& program : programs) ASSERT_TRUE(program->wait());
  EXPECT_TRUE(becomes("stopped"));
  EXPECT_EQ(count("POST /sandbox"), 1u);
}

// Nobody learned of it.
TEST_F(DaytonaTest, OneThatCannotBeStoppedIsTold) {
  LinesClient agent(world_);
  EXPECT_EQ(code_of(agent.run("true")), 0);
  cloud_->fault({{"on", "POST /sandbox/:sandbox/stop"},
                 {"do", "error"},
                 {"status", 403},
                 {"message", "not today"},
                 {"times", 100}});
  agent.end();
  EXPECT_EQ(state(), "started");
  EXPECT_THAT(agent.program().err(),
              HasSubstr("the sandbox hermes-default may keep running, and cost money: "));
  EXPECT_THAT(agent.program().err(), HasSubstr("not today"));
}

TEST_F(DaytonaTest, WhatRunsInTheBackgroundKeepsItRunning) {
  LinesClient agent(world_);
  agent.start_process("echo begun >~/file; sleep 1000", {{"lifetime", "keep"}});
  ASSERT_TRUE(appears(at_home(id(), "file")));
  EXPECT_EQ(agent.end(), 0);
  EXPECT_EQ(state(), "started");
  EXPECT_EQ(count("POST /sandbox/:sandbox/stop"), 0u);
  EXPECT_EQ(world_.run({"env", "rm", "default", "--force", "--yes"}).code(), 0);
  EXPECT_TRUE(eventually([&] { return cloud_->sandboxes().empty(); }));
}

TEST_F(DaytonaTest, NoneIsStartedOnlyToListProcesses) {
  LinesClient agent(world_);
  const std::string process = agent.start_process("sleep 1000");
  EXPECT_THAT(world_.run({"ps"}).out, HasSubstr(process)) << "one that runs is asked";
  agent.call("process", {{"action", "kill"}, {"session_id", process}});
  EXPECT_EQ(agent.end(), 0);
  EXPECT_TRUE(becomes("stopped"));
  EXPECT_EQ(world_.run({"ps"}).code(), 0);
  EXPECT_EQ(state(), "stopped");
  EXPECT_EQ(count("POST /sandbox/:sandbox/start"), 0u);
}

TEST_F(DaytonaTest, WhereNoRunnerIsWantedNoneIsAskedAtTheEnd) {
  world_.set("TERMINAL_CARRIER_MODE", "plain");
  LinesClient agent(world_);
  EXPECT_EQ(output_of(agent.run("echo here")), "here");
  const std::size_t terminals = count("GET /process/pty/create-connect");
  EXPECT_EQ(agent.end(), 0);
  EXPECT_TRUE(becomes("stopped"));
  EXPECT_EQ(count("GET /process/pty/create-connect"), terminals);
}

TEST_F(DaytonaTest, OneThatIsStoppedIsRemovedWithoutBeingStarted) {
  EXPECT_EQ(code_of(run("true")), 0);
  ASSERT_TRUE(becomes("stopped"));
  const Finished removed = world_.run({"env", "rm", "default", "--yes"});
  EXPECT_EQ(removed.code(), 0) << removed.err;
  EXPECT_TRUE(eventually([&] { return cloud_->sandboxes().empty(); }));
  EXPECT_EQ(count("POST /sandbox/:sandbox/start"), 0u);
  EXPECT_THAT(leases(), IsEmpty());
}

TEST_F(DaytonaTest, SaysWhatTheSandboxIsToBe) {
  world_.set("TERMINAL_CONTAINER_CPU", "1.5");
  world_.set("TERMINAL_CONTAINER_MEMORY", "100");
  world_.set("TERMINAL_CONTAINER_DISK", "51200");
  world_.set("DAYTONA_TARGET", "us");
  const json::object result = run("true");
  EXPECT_THAT(notices_of(result), HasSubstr("10 GiB at most"));
  const json::value body = cloud_->requests("POST /sandbox").at(0).at("fields").at("body");
  EXPECT_EQ(body.at("cpu").as_int64(), 2);
  EXPECT_EQ(body.at("memory").as_int64(), 1);
  EXPECT_EQ(body.at("disk").as_int64(), 10);
  EXPECT_EQ(body.at("target").as_string(), "us");
  EXPECT_EQ(body.at("autoStopInterval").as_int64(), 0);
}

TEST_F(DaytonaTest, TheKeyIsInNoArgumentFileOrAnswer) {
  Canaries canaries;
  canaries.watch("the key", cloud_->said("api_key"));
  LinesClient agent(world_);
  const json::object seen = agent.run("env; cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline");
  stop_under_agent();
  cloud_->fault({{"on", "GET /sandbox/:sandbox"},
                 {"do", "error"},
                 {"status", 401},
                 {"message", "the key " + cloud_->said("api_key") + " is unknown"},
                 {"times", 50}});
  const json::object refused = agent.run("true");
  EXPECT_THAT(error_of(refused), HasSubstr("the key *** is unknown"));
  cloud_->forget_faults();
  EXPECT_EQ(agent.end(), 0);
  canaries.look_at(json::serialize(seen) + json::serialize(refused), "an answer");
  canaries.look_at(agent.program().err(), "what it complained about");
  canaries.look_below(world_.path("home"));
  canaries.look_below(world_.path("fake-daytona/sandboxes"));
  canaries.end();
  EXPECT_THAT(canaries.findings(), IsEmpty());
  EXPECT_GT(canaries.rounds(), 0);
}

}  // namespace
}  // namespace talaria::test
