// Sandboxes of target modal from their making to their end: what is kept, what is left, what costs.
#include <csignal>

#include <boost/json/serialize.hpp>

#include "clouds/modal_test.h"

namespace talaria::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr const char* kNoSnapshot = "{}\n";

TEST_F(ModalTest, PersistentFilesAndSessionsComeBackByASnapshot) {
  run("echo kept >/root/f; cd /srv; export A=b");
  EXPECT_TRUE(cloud_->sandboxes().empty());
  EXPECT_THAT(leases(), IsEmpty());
  EXPECT_THAT(snapshots(), HasSubstr("{\n  \"direct:default\": \"im-"));
  EXPECT_EQ(output_of(run("cat /root/f; pwd; echo $A")), "kept\n/srv\nb");
  EXPECT_EQ(count("SandboxCreateV2"), 2u);
  EXPECT_EQ(count("ImageFromId"), 1u);
  EXPECT_TRUE(cloud_->sandboxes().empty());
}

TEST_F(ModalTest, WhatIsNotPersistentLeavesNothing) {
  world_.set("TERMINAL_CONTAINER_PERSISTENT", "false");
  run("echo lost >/root/f");
  EXPECT_TRUE(cloud_->sandboxes().empty());
  EXPECT_THAT(leases(), IsEmpty());
  EXPECT_EQ(snapshots(), "");
  EXPECT_EQ(output_of(run("ls /root")), "");
  EXPECT_EQ(count("TaskSnapshotFilesystem"), 0u);
}

TEST_F(ModalTest, ASnapshotByItsOlderKeyIsUsedAndRewritten) {
  run("echo kept >/root/f");
  std::string older = snapshots();
  older.replace(older.find("direct:default"), 14, "default");
  write_snapshots(older);
  LinesClient agent(world_);
  EXPECT_EQ(output_of(agent.run("cat /root/f")), "kept");
  EXPECT_THAT(snapshots(), HasSubstr("\"direct:default\""));
  EXPECT_THAT(snapshots(), Not(HasSubstr("\"default\"")));
  agent.end();
}

TEST_F(ModalTest, AStaleSnapshotIsForgottenAndTheImageUsed) {
  write_snapshots("{\n  \"direct:default\": \"im-gone\",\n  \"other\": \"im-o\"\n}\n");
  LinesClient agent(world_);
  const json::object result = agent.run("echo works");
  EXPECT_EQ(output_of(result), "works");
  EXPECT_THAT(notices_of(result), HasSubstr("does not have their snapshot im-gone any more"));
  EXPECT_EQ(snapshots(), "{\n  \"other\": \"im-o\"\n}\n");
  agent.end();
}

// Any failure of the question was taken for an answer, and the files of the task were lost.
TEST_F(ModalTest, ASnapshotIsNotForgottenWhileNobodyCanBeAskedAboutIt) {
  run("echo kept >/root/f");
  const std::string before = snapshots();
  cloud_->fault({{"on", "ImageFromId"},
                 {"do", "error"},
                 {"code", "UNAVAILABLE"},
                 {"message", "gone fishing"},
                 {"times", 100}});
  const json::object refused = run("cat /root/f");
  EXPECT_THAT(error_of(refused), HasSubstr("ImageFromId: UNAVAILABLE: gone fishing"));
  EXPECT_EQ(snapshots(), before);
  cloud_->forget_faults();
  EXPECT_EQ(output_of(run("cat /root/f")), "kept");
}

TEST_F(ModalTest, AKilledProgramsSandboxIsFoundByTheNext) {
  LinesClient agent(world_);
  agent.send({.command = "echo kept >/root/f; sleep 60"});
  ASSERT_TRUE(eventually([&] { return !world_.read(there("/root/f")).empty(); }));
  agent.program().kill(SIGKILL);
  ASSERT_TRUE(agent.program().wait());
  EXPECT_EQ(leases().size(), 1u);
  const std::string before = only_sandbox();
  LinesClient next(world_);
  EXPECT_EQ(output_of(next.run("cat /root/f")), "kept");
  EXPECT_EQ(only_sandbox(), before);
  EXPECT_EQ(count("SandboxCreateV2"), 1u);
}

TEST_F(ModalTest, WhatWasBeingMadeForAProgramThatIsKilledIsEnded) {
  for (const char* persistent : {"true", "false"}) {
    begin({"--cold-start", "3"});
    world_.set("TERMINAL_CONTAINER_PERSISTENT", persistent);
    LinesClient agent(world_);
    agent.send({.command = "true"});
    ASSERT_TRUE(eventually([&] { return count("SandboxGetTaskIdV2") > 0; }));
    ASSERT_EQ(cloud_->sandboxes().size(), 1u);
    agent.program().kill(SIGKILL);
    ASSERT_TRUE(agent.program().wait());
    EXPECT_TRUE(eventually([&] { return cloud_->sandboxes().empty(); })) << persistent;
  }
}

// It was killed before it could write down what it had made.
TEST_F(ModalTest, ASandboxThatNobodyWroteDownIsFoundByItsName) {
  LinesClient agent(world_);
  agent.run("echo kept >/root/f");
  agent.program().kill(SIGKILL);
  ASSERT_TRUE(agent.program().wait());
  for (const std::string& lease : leases()) std::filesystem::remove(lease);
  EXPECT_EQ(output_of(run("cat /root/f")), "kept");
  EXPECT_TRUE(nothing_left());
}

TEST_F(ModalTest, OneThatVanishesUnderACommandIsAnErrorAndTheNextCommandHasAnother) {
  LinesClient agent(world_);
  agent.run("echo lost >/root/f");
  const int id = agent.send({.command = "echo on >/root/on; sleep 60"});
  ASSERT_TRUE(eventually([&] { return !world_.read(there("/root/on")).empty(); }));
  const std::string gone = only_sandbox();
  cloud_->vanish(gone);
  const json::object lost = agent.result(id, std::chrono::seconds(60));
  EXPECT_THAT(json::serialize(lost), HasSubstr("runner_lost"));
  const json::object next = agent.run("ls /root; echo works");
  EXPECT_EQ(output_of(next), "works") << json::serialize(next);
  EXPECT_THAT(notices_of(lost) + notices_of(next),
              HasSubstr("The sandbox " + gone + " is over: Modal no longer knows it"));
  agent.end();
  EXPECT_TRUE(nothing_left());
}

// After that no command of the program had one, however long it ran.
TEST_F(ModalTest, IfNoOtherCanBeMadeTheNextCommandTriesAgain) {
  LinesClient agent(world_);
  agent.run("true");
  cloud_->fault({{"on", "SandboxCreateV2"},
                 {"do", "error"},
                 {"code", "RESOURCE_EXHAUSTED"},
                 {"message", "no room"},
                 {"times", 1000}});
  cloud_->vanish(only_sandbox());
  ASSERT_TRUE(gone_is_noticed());
  const int id = agent.send({.command = "echo refused"});
  const json::object refused = agent.result(id, std::chrono::seconds(60));
  EXPECT_THAT(json::serialize(refused), HasSubstr("RESOURCE_EXHAUSTED: no room"));
  cloud_->forget_faults();
  const json::object next = agent.run("echo works");
  EXPECT_EQ(output_of(next), "works") << json::serialize(next);
  agent.end();
  EXPECT_TRUE(nothing_left());
}

// What a sandbox had was lost when Modal ended it in the middle of a long session.
TEST_F(ModalTest, BeforeItsTimeIsUpItsFilesAreKept) {
  world_.set("TERMINAL_MODAL_SANDBOX_TIMEOUT", "10");
  LinesClient agent(world_);
  agent.run("echo kept >/root/f; cd /srv");
  ASSERT_TRUE(eventually([&] { return cloud_->sandboxes().empty(); }, std::chrono::seconds(60)));
  ASSERT_TRUE(gone_is_noticed());
  const json::object next = agent.run("cat /root/f; pwd");
  EXPECT_EQ(output_of(next), "kept\n/srv") << json::serialize(next);
  EXPECT_THAT(notices_of(next), HasSubstr("its 10 s were up (TERMINAL_MODAL_SANDBOX_TIMEOUT)"));
  EXPECT_THAT(notices_of(next), HasSubstr("what was changed since its last snapshot"));
  agent.end();
}

TEST_F(ModalTest, ASlowStartIsWaitedForAndTold) {
  begin({"--cold-start", "3"});
  const Finished done = world_.exec("echo hi");
  EXPECT_EQ(done.out, "hi\n") << done.err;
  EXPECT_THAT(done.err, HasSubstr("Modal is creating a sandbox from python:3.11"));
}

TEST_F(ModalTest, ASlowReplacementIsWaitedForToo) {
  begin({"--cold-start", "12"});
  LinesClient agent(world_);
  const json::object first =
      agent.result(agent.send({.command = "true"}), std::chrono::seconds(60));
  EXPECT_EQ(code_of(first), 0);
  cloud_->vanish(only_sandbox());
  ASSERT_TRUE(gone_is_noticed());
  const int id = agent.send({.command = "echo works"});
  const json::object next = agent.result(id, std::chrono::seconds(60));
  EXPECT_EQ(output_of(next), "works") << json::serialize(next);
  agent.end();
}

TEST_F(ModalTest, ProgramsShareTheSandboxOfATaskAndTheLastOneEndsIt) {
  LinesClient one(world_);
  one.run("echo shared >/root/f");
  LinesClient other(world_);
  EXPECT_EQ(output_of(other.run("cat /root/f")), "shared");
  other.end();
  EXPECT_EQ(cloud_->sandboxes().size(), 1u);
  EXPECT_EQ(output_of(one.run("cat /root/f")), "shared");
  one.end();
  EXPECT_EQ(count("SandboxCreateV2"), 1u);
  EXPECT_TRUE(nothing_left());
}

TEST_F(ModalTest, WhatRunsInTheBackgroundKeepsItAndItsFilesAreSafe) {
  LinesClient one(world_);
  one.run("echo kept >/root/f");
  const std::string id = one.start_process("echo on; sleep 600");
  ASSERT_TRUE(shows(one, id, "on"));
  one.end();
  EXPECT_EQ(cloud_->sandboxes().size(), 1u);
  EXPECT_THAT(snapshots(), HasSubstr("\"direct:default\""));
  LinesClient other(world_);
  EXPECT_EQ(text(poll(other, id), "status"), "running");
  kill(other, id);
  other.end();
  EXPECT_TRUE(nothing_left());
  EXPECT_EQ(count("SandboxCreateV2"), 1u);
}

// It would cost, to find out that nothing runs there.
TEST_F(ModalTest, NoneIsMadeOnlyToListProcesses) {
  LinesClient agent(world_);
  const std::string id = agent.start_process("sleep 600");
  EXPECT_THAT(world_.run({"ps"}).out, HasSubstr(id)) << "one that runs is asked";
  kill(agent, id);
  agent.end();
  EXPECT_TRUE(nothing_left());
  const Finished listed = world_.run({"ps"});
  EXPECT_EQ(listed.code(), 0) << listed.err;
  EXPECT_THAT(listed.out, Not(HasSubstr(id)));
  EXPECT_EQ(count("SandboxCreateV2"), 1u);
}

TEST_F(ModalTest, OneThatCannotBeAskedWhatRunsInItIsLeftRunning) {
  LinesClient agent(world_);
  agent.run("echo kept >/root/f");
  const std::string id = agent.start_process("sleep 600");
  agent.end();
  LinesClient other(world_);
  EXPECT_EQ(output_of(other.run("cat /root/f")), "kept");
  cloud_->fault(
      {{"on", "TaskExecStart"}, {"do", "error"}, {"code", "PERMISSION_DENIED"}, {"times", 100}});
  other.end();
  EXPECT_THAT(other.program().err(), HasSubstr("it is unknown whether processes run"));
  EXPECT_EQ(cloud_->sandboxes().size(), 1u);
  cloud_->forget_faults();
  LinesClient last(world_);
  EXPECT_EQ(text(poll(last, id), "status"), "running");
  kill(last, id);
  last.end();
  EXPECT_TRUE(nothing_left());
}

TEST_F(ModalTest, AStopSignalEndsItAsTheEndOfTheProgramDoes) {
  const auto program = world_.start({"exec", "--task", "t", "echo kept >/root/f; sleep 60"});
  ASSERT_TRUE(eventually([&] { return !world_.read(there("/root/f")).empty(); }));
  program->kill(SIGTERM);
  ASSERT_TRUE(program->wait());
  EXPECT_TRUE(nothing_left());
  EXPECT_THAT(leases(), IsEmpty());
  EXPECT_EQ(output_of(run("cat /root/f")), "kept");
}

TEST_F(ModalTest, AStopSignalDuringTheStartLeavesNothing) {
  begin({"--cold-start", "5"});
  const auto program = world_.start({"exec", "true"});
  ASSERT_TRUE(eventually([&] { return cloud_->sandboxes().size() == 1; }));
  program->kill(SIGINT);
  ASSERT_TRUE(program->wait(std::chrono::seconds(60)));
  EXPECT_TRUE(nothing_left());
}

// It ran on, and no program of this home knew of it.
TEST_F(ModalTest, OneThatCannotBeWrittenDownIsEnded) {
  begin({"--cold-start", "5"});
  const auto program = world_.start({"exec", "echo ran >/root/f"});
  ASSERT_TRUE(eventually([&] { return cloud_->sandboxes().size() == 1; }));
  const std::string leases = world_.path("home/talaria/leases");
  std::filesystem::remove_all(leases);
  std::ofstream(leases) << "no directory";
  const auto ended = program->wait(std::chrono::seconds(60));
  std::filesystem::remove(leases);
  ASSERT_TRUE(ended);
  EXPECT_TRUE(nothing_left());
  EXPECT_EQ(count("TaskExecStart"), 0u);
}

// It would have been thrown away with all that was in it.
TEST_F(ModalTest, WhereNoSnapshotCanBeTakenItIsLeftForTheNextProgram) {
  LinesClient agent(world_);
  agent.run("echo kept >/root/f");
  cloud_->fault({{"on", "TaskSnapshotFilesystem"},
                 {"do", "error"},
                 {"code", "FAILED_PRECONDITION"},
                 {"message", "the disk is in a bad mood"},
                 {"times", 100}});
  agent.end();
  const std::string left = only_sandbox();
  EXPECT_THAT(agent.program().err(), HasSubstr("the files of sandbox " + left +
                                               " could not be kept: Modal: TaskSnapshotFilesystem: "
                                               "FAILED_PRECONDITION: the disk is in a bad mood"));
  EXPECT_THAT(agent.program().err(), HasSubstr("the next command of task 'default' finds it"));
  EXPECT_EQ(leases().size(), 1u);
  cloud_->forget_faults();
  EXPECT_EQ(output_of(run("cat /root/f")), "kept");
  EXPECT_EQ(count("SandboxCreateV2"), 1u);
  EXPECT_TRUE(nothing_left());
}

TEST_F(ModalTest, RemovingItTakesTheSnapshotAlong) {
  run("echo kept >/root/f");
  LinesClient agent(world_);
  agent.run("true");
  agent.program().kill(SIGKILL);
  ASSERT_TRUE(agent.program().wait());
  EXPECT_THAT(world_.run({"env", "list"}).out, HasSubstr("sandbox " + only_sandbox()));
  const std::size_t taken = count("TaskSnapshotFilesystem");
  const Finished removed = world_.run({"env", "rm", "default", "--yes", "--force"});
  EXPECT_EQ(removed.code(), 0) << removed.err;
  EXPECT_TRUE(nothing_left());
  EXPECT_EQ(snapshots(), kNoSnapshot);
  EXPECT_EQ(count("TaskSnapshotFilesystem"), taken);
  EXPECT_THAT(leases(), IsEmpty());
}

// That was an error, and the next sandbox had the old files all the same.
TEST_F(ModalTest, RemovingOneThatIsOverForgetsItsFiles) {
  run("echo kept >/root/f");
  LinesClient agent(world_);
  agent.run("true");
  agent.program().kill(SIGKILL);
  ASSERT_TRUE(agent.program().wait());
  cloud_->vanish(only_sandbox());
  const Finished removed = world_.run({"env", "rm", "default", "--yes"});
  EXPECT_EQ(removed.code(), 0) << removed.err;
  EXPECT_THAT(removed.out, HasSubstr("removed default: sandbox sb-"));
  EXPECT_EQ(snapshots(), kNoSnapshot);
  EXPECT_THAT(leases(), IsEmpty());
}

TEST_F(ModalTest, OfATaskWithoutASandboxTheSnapshotIsRemoved) {
  run("echo kept >/root/f");
  const Finished asked = world_.run({"env", "rm", "default"});
  EXPECT_NE(asked.code(), 0);
  EXPECT_THAT(asked.err, HasSubstr("snapshot im-"));
  const Finished removed = world_.run({"env", "rm", "default", "--yes"});
  EXPECT_EQ(removed.code(), 0) << removed.err;
  EXPECT_THAT(removed.out, HasSubstr("removed default: snapshot im-"));
  EXPECT_EQ(snapshots(), kNoSnapshot);
  EXPECT_EQ(output_of(run("ls /root")), "");
}

TEST_F(ModalTest, WhatAKilledProgramLeftIsSweptAndItsFilesAreKept) {
  LinesClient agent(world_);
  agent.run("echo kept >/root/f");
  const auto age = [&] {
    for (const std::string& lease : leases()) {
      std::filesystem::last_write_time(
          lease, std::filesystem::file_time_type::clock::now() - std::chrono::hours(1));
    }
  };
  const std::vector<std::string> reap{"doctor", "--reap", "--json"};
  age();
  world_.run(reap);
  EXPECT_EQ(cloud_->sandboxes().size(), 1u) << "it is in use";
  agent.run("true");
  agent.program().kill(SIGKILL);
  ASSERT_TRUE(agent.program().wait());
  world_.run(reap);
  EXPECT_EQ(cloud_->sandboxes().size(), 1u) << "it was used a moment ago";
  age();
  EXPECT_THAT(world_.run({"doctor", "--reap", "--dry-run"}).out,
              HasSubstr("sandbox " + only_sandbox()));
  EXPECT_EQ(cloud_->sandboxes().size(), 1u);
  const Finished swept = world_.run(reap);
  EXPECT_TRUE(nothing_left()) << swept.out;
  EXPECT_THAT(leases(), IsEmpty());
  EXPECT_EQ(output_of(run("cat /root/f")), "kept");
}

}  // namespace
}  // namespace talaria::test
