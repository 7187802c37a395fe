// How containers come and go: made, found again, started again, replaced, removed.
#include <fstream>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <gmock/gmock.h>

#include "targets/container_test.h"

namespace talaria::test {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST_P(ContainerTest, TheNextProgramFindsTheContainerAndTheSession) {
  ASSERT_EQ(world_.run({"exec", "--task", "t", "cd /tmp; export A=kept"}).code(), 0);
  const std::string first = container();
  const Finished later = world_.run({"exec", "--task", "t", "pwd; echo $A"});
  EXPECT_EQ(later.out, "/tmp\nkept\n") << later.err;
  EXPECT_EQ(container(), first);
}

TEST_P(ContainerTest, TheResultNamesTargetAndTransport) {
  LinesClient agent(world_);
  const json::object result = agent.run("echo hi; exit 3");
  EXPECT_EQ(output_of(result), "hi");
  EXPECT_EQ(code_of(result), 3);
  EXPECT_EQ(result.at("target").as_string(), GetParam().name);
  EXPECT_EQ(result.at("transport").as_string(), "link");
  EXPECT_EQ(agent.end(), 0);
}

TEST_P(ContainerTest, ManyFirstCallsMakeOneContainer) {
  LinesClient agent(world_);
  std::vector<int> calls;
  for (int i = 0; i < 8; ++i) {
    calls.push_back(agent.send({.command = "echo " + std::to_string(i), .task = "t"}));
  }
  for (int i = 0; i < 8; ++i) EXPECT_EQ(output_of(agent.result(calls[i])), std::to_string(i));
  EXPECT_EQ(containers().size(), 1u);
}

// Two processes at once.
TEST_P(ContainerTest, TwoProgramsThatBeginTogetherShareOneContainer) {
  const auto one = world_.start({"exec", "echo one"});
  const auto two = world_.start({"exec", "echo two"});
  EXPECT_TRUE(one->wait(kPatience));
  EXPECT_TRUE(two->wait(kPatience));
  EXPECT_EQ(one->out() + two->out(), "one\ntwo\n");
  EXPECT_EQ(containers().size(), 1u);
}

// What is remembered of an image is used, and looked up all the same.
TEST_P(ContainerTest, AnImageThatIsAnotherByNowIsNoticed) {
  const auto has_init = [&] {
    return trim_end(box({"inspect", "--format", "{{.HostConfig.Init}}", container()}).out);
  };
  ASSERT_EQ(world_.exec("true").code(), 0);
  EXPECT_EQ(has_init(), "true");
  int notes = 0;
  for (const auto& entry : std::filesystem::directory_iterator(world_.path("home/talaria"))) {
    if (!entry.path().filename().string().starts_with("own-init-")) continue;
    ++notes;
    std::ofstream(entry.path()) << "yes\n";  // as of an image with an init of its own
  }
  EXPECT_EQ(notes, 1);
  ASSERT_EQ(world_.run({"env", "rm", "default", "--yes"}).code(), 0);
  EXPECT_EQ(world_.exec("echo works").out, "works\n");
  EXPECT_EQ(has_init(), "true");
}

TEST_P(ContainerTest, AStoppedOneIsStartedAgain) {
  ASSERT_EQ(world_.run({"exec", "--task", "t", "cd /root; export A=kept"}).code(), 0);
  const std::string id = container();
  box({"stop", "-t", "1", id});
  const Finished later = world_.run({"exec", "--task", "t", "echo $A"});
  EXPECT_EQ(later.out, "kept\n") << later.err;
  EXPECT_THAT(later.err, HasSubstr("started again"));
  EXPECT_EQ(container(), id);
}

TEST_P(ContainerTest, APausedOneGoesOn) {
  ASSERT_EQ(world_.run({"exec", "--task", "t", "export A=kept; echo data >/tmp/file"}).code(), 0);
  const std::string first = container();
  box({"pause", first});
  const Finished done = world_.run({"exec", "--task", "t", "echo $A; cat /tmp/file"});
  EXPECT_EQ(done.out, "kept\ndata\n") << done.err;
  EXPECT_THAT(done.err, HasSubstr("had been paused and was resumed"));
  EXPECT_EQ(container(), first);
}

TEST_P(ContainerTest, WhatIsNoNameOfAnImageIsRefused) {
  for (const char* image : {"--help", "-v", "two words"}) {
    world_.set("TERMINAL_DOCKER_IMAGE", image);
    const Finished refused = world_.exec("true");
    EXPECT_EQ(refused.code(), 125);
    EXPECT_THAT(refused.err, HasSubstr("is not an image"));
  }
  EXPECT_TRUE(containers().empty());
}

TEST_P(ContainerTest, AnImageOfAnOrdinaryUserIsUsed) {
  world_.set("TERMINAL_DOCKER_EXTRA_ARGS", R"(["--user","12345:12345"])");
  const Finished done = world_.exec("id -u; echo on >/tmp/file && cat /tmp/file");
  EXPECT_EQ(done.out, "12345\non\n") << done.err;
}

TEST_P(ContainerTest, ManyWhoRemoveItAtOnceHaveRemovedIt) {
  ASSERT_EQ(world_.exec("true").code(), 0);
  std::vector<std::unique_ptr<Program>> programs;
  for (int i = 0; i < 3; ++i)
    programs.push_back(world_.start({"env", "rm", "--all", "--yes", "--force"}));
  for (const auto& program : programs) {
    EXPECT_EQ(program->wait(2 * kPatience), ExitStatus(Exited{0})) << program->err();
  }
  EXPECT_TRUE(containers().empty());
}

TEST_P(ContainerTest, ContainersOfUpstreamAreFound) {
  const std::string theirs = make_upstream("default");
  const Finished done = world_.exec("cat /proc/1/cmdline | tr '\\0' ' '");
  EXPECT_EQ(done.code(), 0) << done.err;
  EXPECT_EQ(container(), theirs);
}

TEST_P(ContainerTest, UpstreamFindsOurs) {
  ASSERT_EQ(world_.exec("true").code(), 0);
  const Finished found =
      box({"ps", "-a", "--no-trunc", "--filter", "label=hermes-agent=1", "--filter",
           "label=hermes-task-id=default", "--filter", "label=hermes-profile=" + profile_,
           "--filter", "status=running", "--format", "{{.ID}}"});
  EXPECT_EQ(found.out, container() + "\n");
  EXPECT_EQ(box({"exec", container(), "bash", "-c", "echo there"}).out, "there\n");
}

TEST_P(ContainerTest, TasksWhoseLabelsAreTheSameDoNotShareAContainer) {
  const std::string override = R"({"docker_image":")" + engine(GetParam().image) + "\"}";
  LinesClient agent(world_);
  for (const char* task : {"a/b", "a:b"}) {
    agent.ask("env.override", {{"task", task}, {"overrides", json::parse(override)}});
    agent.run({.command = std::string("echo ") + task + " >/root/task", .task = task});
  }
  EXPECT_EQ(output_of(agent.run({.command = "cat /root/task", .task = "a/b"})), "a/b");
  EXPECT_EQ(output_of(agent.run({.command = "cat /root/task", .task = "a:b"})), "a:b");
  EXPECT_EQ(containers().size(), 2u);
}

// The same for one of upstream's, which has no digest: the first task to take it has it.
TEST_P(ContainerTest, AContainerOfUpstreamIsNotSharedEither) {
  const std::string theirs = make_upstream("a_b");
  LinesClient agent(world_);
  for (const char* task : {"a/b", "a:b"}) {
    agent.ask("env.override",
              {{"task", task}, {"overrides", {{"docker_image", engine(GetParam().image)}}}});
    EXPECT_EQ(code_of(agent.run({.command = "true", .task = task})), 0);
  }
  EXPECT_EQ(containers().size(), 2u);
  EXPECT_THAT(containers(), testing::Contains(theirs));
}

TEST_P(ContainerTest, AChangedSettingThatIsNotAppliedIsTold) {
  ASSERT_EQ(world_.exec("true").code(), 0);
  world_.set("TERMINAL_CONTAINER_MEMORY", "256");
  LinesClient agent(world_);
  const json::object result = agent.run("true");
  EXPECT_THAT(notices_of(result), HasSubstr("TERMINAL_CONTAINER_MEMORY 512, not 256"));
  EXPECT_THAT(notices_of(agent.run("true")), Not(HasSubstr("MEMORY")));
}

TEST_P(ContainerTest, AnyTaskIdStaysInTheSandboxDirectory) {
  LinesClient agent(world_);
  agent.ask("env.override", {{"task", "../../escape"},
                             {"overrides", {{"docker_image", engine(GetParam().image)}}}});
  EXPECT_EQ(code_of(agent.run({.command = "echo x >/root/x", .task = "../../escape"})), 0);
  EXPECT_FALSE(std::filesystem::exists(world_.path("escape")));
  EXPECT_FALSE(std::filesystem::exists(world_.path("sandboxes/escape")));
}

// The engine's answer decides. The words of a command do not.
TEST_P(ContainerTest, WhatACommandPrintsIsNoReasonToDoAnythingTwice) {
  LinesClient agent(world_);
  agent.run("echo 0 >/root/count");
  const json::object result = agent.run(
      "echo $(($(cat /root/count) + 1)) >/root/count; echo 'Error: No such container: x'; "
      "echo 'container x is not running' >&2; exit 1");
  EXPECT_EQ(code_of(result), 1);
  EXPECT_EQ(output_of(agent.run("cat /root/count")), "1");
  EXPECT_EQ(containers().size(), 1u);
}

TEST_P(ContainerTest, AContainerThatWasRemovedIsReplacedAndTheSessionGoesOn) {
  LinesClient agent(world_);
  agent.run("mkdir -p /srv/deep && cd /srv/deep && export A=kept; f() { echo f $A; }");
  const std::string first = container();
  box({"rm", "-f", first});
  const json::object after = agent.run("pwd; f");
  EXPECT_EQ(output_of(after), "/srv\nf kept") << notices_of(after);
  EXPECT_THAT(notices_of(after), HasSubstr("is gone"));
  EXPECT_NE(container(), first);
}

// Only commands in the foreground said so once.
TEST_P(ContainerTest, AProcessThatIsStartedInAReplacedContainerSaysSo) {
  LinesClient agent(world_);
  agent.run("true");
  box({"rm", "-f", container()});
  const json::object started = agent.start("sleep 4326.5");
  EXPECT_THAT(notices_of(started), HasSubstr("is gone"));
  kill(agent, text(started, "session_id"));
}

TEST_P(ContainerTest, AContainerRemovedUnderACommandIsATypedErrorAndNothingRunsTwice) {
  LinesClient agent(world_);
  agent.run("echo 0 >/root/count");
  const int call =
      agent.send({.command = "echo $(($(cat /root/count) + 1)) >/root/count; sleep 4323.5"});
  ASSERT_TRUE(eventually([&] { return trim_end(world_.exec("cat /root/count").out) == "1"; }));
  box({"rm", "-f", container()});
  const json::object lost = agent.result(call);
  EXPECT_EQ(code_of(lost), -1);
  EXPECT_THAT(error_of(lost), HasSubstr("runner_lost"));
  EXPECT_EQ(output_of(agent.run("cat /root/count")), "1");
}

TEST_P(ContainerTest, AContainerKilledUnderACommandIsATypedErrorAndTheSessionGoesOn) {
  LinesClient agent(world_);
  agent.run("cd /usr; export A=kept; echo data >/srv/file");
  const std::string process = agent.start_process("echo early; sleep 4327.5");
  ASSERT_TRUE(shows(agent, process, "early"));
  const int call = agent.send({.command = "echo x >>/root/runs; sleep 4327.5"});
  ASSERT_TRUE(appears("sandboxes/docker/default/home/runs"));
  const std::string id = container();
  box({"kill", id});
  const json::object lost = agent.result(call);
  EXPECT_EQ(code_of(lost), -1);
  EXPECT_THAT(error_of(lost), HasSubstr("runner_lost"));
  const json::object after = agent.run("pwd; echo $A; cat /srv/file /root/runs");
  EXPECT_EQ(output_of(after), "/usr\nkept\ndata\nx");
  EXPECT_THAT(notices_of(after), HasSubstr("had been stopped and was started again"));
  EXPECT_EQ(text(poll(agent, process), "completion_reason"), "lost");
  EXPECT_THAT(text(poll(agent, process), "output_preview"), HasSubstr("early"));
  EXPECT_EQ(container(), id);
}

TEST_P(ContainerTest, InPersistModeBackgroundWorkGoesOnWithoutUs) {
  std::string id;
  {
    LinesClient agent(world_);
    id = agent.start_process("sleep 4324.5");
    EXPECT_EQ(agent.end(), 0);
  }
  EXPECT_EQ(state_of(container()), "running");
  LinesClient again(world_);
  EXPECT_EQ(text(poll(again, id), "status"), "running");
  kill(again, id);
}

TEST_P(ContainerTest, WithPersistenceOffFilesAreInMemoryAndStillThereForTheNextProgram) {
  world_.set("TERMINAL_CONTAINER_PERSISTENT", "false");
  ASSERT_EQ(world_.exec("echo x >/workspace/x; stat -f -c %T /workspace").out, "tmpfs\n");
  EXPECT_EQ(world_.exec("cat /workspace/x").out, "x\n");
  EXPECT_FALSE(std::filesystem::exists(world_.path("sandboxes/docker")));
}

TEST_P(ContainerTest, AContainerOfOneProgramGoesWithIt) {
  world_.set("TERMINAL_DOCKER_PERSIST_ACROSS_PROCESSES", "false");
  LinesClient agent(world_);
  agent.run("echo kept >/root/f");
  EXPECT_EQ(state_of(container()), "running");
  EXPECT_EQ(agent.end(), 0);
  EXPECT_TRUE(containers().empty());
  EXPECT_EQ(world_.read("sandboxes/docker/default/home/f"), "kept\n");
}

// "There is no container of task 'default'", although it was listed.
TEST_P(ContainerTest, AContainerOfOneProgramThatWasKilledIsRemovedByName) {
  world_.set("TERMINAL_DOCKER_PERSIST_ACROSS_PROCESSES", "false");
  for (int i = 0; i < 2; ++i) {
    LinesClient agent(world_);
    agent.run("true");
    agent.program().kill(SIGKILL);
    ASSERT_TRUE(agent.program().wait(kPatience));
  }
  EXPECT_EQ(containers().size(), 2u);
  const Finished removed = world_.run({"env", "rm", "--all", "--yes", "--force"});
  EXPECT_EQ(removed.code(), 0) << removed.err;
  EXPECT_TRUE(containers().empty());
}

// Its variables were back in the next container.
TEST_P(ContainerTest, RemovingItRemovesItsSessions) {
  ASSERT_EQ(world_.run({"exec", "--task", "t", "export A=old; cd /usr; echo x >/root/f"}).code(),
            0);
  const Finished removed = world_.run({"env", "rm", "default", "--yes"});
  EXPECT_EQ(removed.code(), 0) << removed.err;
  EXPECT_EQ(world_.run({"exec", "--task", "t", "echo \"<$A>\"; cat /root/f"}).out, "<>\nx\n");
}

// The other home removed a container in which this one had a process, and saw its variables.
TEST_P(ContainerTest, HomesDoNotShareContainers) {
  LinesClient agent(world_);
  agent.run("export TOKEN=mine");
  const std::string id = agent.start_process("sleep 4328.5");
  const std::string ours = container();
  world_.set("TALARIA_HOME", world_.directory("other"));
  world_.set("TERMINAL_SANDBOX_DIR", world_.path("other/sandboxes"));
  EXPECT_EQ(world_.exec("echo \"<$TOKEN>\"").out, "<>\n");
  EXPECT_EQ(world_.run({"env", "rm", "--all", "--yes", "--force"}).code(), 0);
  EXPECT_EQ(container(), ours);
  EXPECT_EQ(text(poll(agent, id), "status"), "running");
  kill(agent, id);
}

// A container of upstream's may be shared by homes.
TEST_P(ContainerTest, OneInWhichAnotherHomeHasAProcessIsNotRemoved) {
  make_upstream("default");
  LinesClient agent(world_);
  const std::string id = agent.start_process("sleep 4329.5");
  world_.set("TALARIA_HOME", world_.directory("other"));
  EXPECT_EQ(world_.exec("true").code(), 0);
  const Finished refused = world_.run({"env", "rm", "default", "--yes"});
  EXPECT_EQ(refused.code(), 1);
  EXPECT_THAT(refused.err, HasSubstr("background processes run in"));
  EXPECT_EQ(text(poll(agent, id), "status"), "running");
  kill(agent, id);
}

// The first call that is answered. One that was sent while the link was breaking is not repeated,
// because it may have run: with podman the link breaks a moment after the container has been
// restarted.
json::object answered(LinesClient& agent, const TerminalCall& call) {
  json::object result = agent.run(call);
  const bool lost = json::serialize(result).contains("runner_lost: the runner was replaced");
  return lost ? agent.run(call) : result;
}

// Sessions began anew without a word, and nobody knew of their processes.
TEST_P(ContainerTest, ARestartedContainerWithoutPersistenceIsToldToEverySessionOnce) {
  world_.set("TERMINAL_CONTAINER_PERSISTENT", "false");
  LinesClient agent(world_);
  for (const char* task : {"a", "b"}) agent.run({.command = "export A=1", .task = task});
  const std::string process = agent.start_process("echo early; sleep 4330.5");
  box({"restart", "-t", "0", container()});
  for (const char* task : {"a", "b"}) {
    const json::object first = answered(agent, {.command = "echo \"<$A>\"", .task = task});
    EXPECT_EQ(output_of(first), "<>") << json::serialize(first);
    EXPECT_THAT(notices_of(first), HasSubstr("This session starts anew")) << task;
    const json::object second = agent.run({.command = "true", .task = task});
    EXPECT_THAT(notices_of(second), testing::Not(HasSubstr("starts anew"))) << task;
  }
  EXPECT_EQ(text(poll(agent, process), "completion_reason"), "lost");
  EXPECT_EQ(text(wait(agent, process), "completion_reason"), "lost");
}

// Only the program that had used a session said that it began anew.
TEST_P(ContainerTest, ARestartedContainerWithoutPersistenceIsToldToLaterProgramsOnce) {
  world_.set("TERMINAL_CONTAINER_PERSISTENT", "false");
  std::string process;
  {
    LinesClient agent(world_);
    for (const char* task : {"a", "b"}) agent.run({.command = "export A=1", .task = task});
    process = agent.start_process("echo early; sleep 4331.5");
    EXPECT_EQ(agent.end(), 0);
  }
  box({"restart", "-t", "0", container()});
  for (const char* task : {"a", "b"}) {
    LinesClient first(world_);
    const json::object anew = first.run({.command = "echo \"<$A>\"", .task = task});
    EXPECT_EQ(output_of(anew), "<>") << json::serialize(anew);
    EXPECT_THAT(notices_of(anew), HasSubstr("This session starts anew")) << task;
    const json::object other = first.run({.command = "true", .task = std::string("new-") + task});
    EXPECT_THAT(notices_of(other), Not(HasSubstr("starts anew"))) << "there was no such session";
    EXPECT_EQ(first.end(), 0);
    LinesClient second(world_);
    const json::object told = second.run({.command = "true", .task = task});
    EXPECT_THAT(notices_of(told), Not(HasSubstr("starts anew"))) << task;
    EXPECT_EQ(text(poll(second, process), "completion_reason"), "lost");
    EXPECT_EQ(text(wait(second, process), "completion_reason"), "lost");
  }
}

// What was removed on purpose needs no notice.
TEST_P(ContainerTest, ARemovedContainerWithoutPersistenceIsForgotten) {
  world_.set("TERMINAL_CONTAINER_PERSISTENT", "false");
  ASSERT_EQ(world_.run({"exec", "--task", "t", "export A=1"}).code(), 0);
  ASSERT_EQ(world_.run({"env", "rm", "default", "--yes"}).code(), 0);
  const Finished later = world_.run({"exec", "--task", "t", "echo \"<$A>\""});
  EXPECT_EQ(later.out, "<>\n");
  EXPECT_THAT(later.err, Not(HasSubstr("starts anew")));
}

TEST_P(ContainerTest, AKeptContainerIsRemovedOnlyByForce) {
  LinesClient agent(world_);
  agent.run("true");
  agent.ask("env.remove", {{"id", "default"}});
  EXPECT_EQ(state_of(container()), "running");
  agent.run("true");
  agent.ask("env.remove", {{"id", "default"}, {"force", true}});
  EXPECT_TRUE(containers().empty());
}

TEST_P(ContainerTest, ItIsListedAndRemovedByName) {
  ASSERT_EQ(world_.exec("true").code(), 0);
  const Finished listed = world_.run({"env", "list"});
  EXPECT_THAT(listed.out, HasSubstr("container hermes-"));
  EXPECT_THAT(listed.out, HasSubstr(GetParam().name));
  const Finished shown = world_.run({"env", "show", "default"});
  EXPECT_EQ(shown.code(), 0) << shown.err;
  EXPECT_THAT(shown.out, HasSubstr("default: container hermes-"));
  EXPECT_THAT(world_.run({"env", "show", "default", "--json"}).out,
              HasSubstr("\"place\":\"container hermes-"));
  EXPECT_THAT(world_.run({"env", "show", "moon"}).err,
              HasSubstr("default (" + std::string(GetParam().name)));
  EXPECT_EQ(world_.run({"env", "rm", "default"}).code(), 1);  // nobody said yes
  EXPECT_EQ(containers().size(), 1u);
  EXPECT_EQ(world_.run({"env", "rm", "default", "--yes"}).code(), 0);
  EXPECT_TRUE(containers().empty());
}

TEST_P(ContainerTest, OneWithProcessesIsRemovedOnlyByForceAndAllAreCounted) {
  {
    LinesClient agent(world_);
    agent.start_process("sleep 1000");
    EXPECT_EQ(agent.end(), 0);
  }
  const Finished refused = world_.run({"env", "rm", "default", "--yes"});
  EXPECT_EQ(refused.code(), 1);
  EXPECT_THAT(refused.err, HasSubstr("background processes run in"));
  EXPECT_EQ(world_.run({"env", "rm", "--all", "--yes"}).code(), 1);
  EXPECT_EQ(containers().size(), 1u);
  const Finished listed = world_.run({"env", "list", "--json"});
  EXPECT_THAT(listed.out, HasSubstr(R"("count":1,"task_ids":["default"])"));
  const Finished removed = world_.run({"env", "rm", "--all", "--force", "--yes", "--json"});
  EXPECT_EQ(removed.code(), 0) << removed.out;
  EXPECT_THAT(removed.out, HasSubstr(R"({"count":1,"removed":[{"removed":"default")"));
  EXPECT_TRUE(containers().empty());
}

TEST_P(ContainerTest, WhatAKilledProgramLeftIsSweptByTheTimeOfItsLastUse) {
  world_.set("TERMINAL_DOCKER_PERSIST_ACROSS_PROCESSES", "false");
  LinesClient agent(world_);
  agent.run("true");
  world_.set("TERMINAL_LIFETIME_SECONDS", "60");  // for the program that sweeps
  const std::vector<std::string> reap{"doctor", "--reap", "--json"};
  const std::string age = "touch -d '2 hours ago' '" + world_.path("home") + "'/talaria/leases/c*";
  shell(age);
  world_.run(reap);
  EXPECT_EQ(containers().size(), 1u) << "it is in use";
  agent.run("true");
  agent.program().kill(SIGKILL);
  ASSERT_TRUE(agent.program().wait(kPatience));
  world_.run(reap);
  EXPECT_EQ(containers().size(), 1u) << "closing our eyes for a moment is no reason";
  shell(age);
  EXPECT_THAT(world_.run({"doctor", "--reap", "--dry-run"}).out, HasSubstr("container hermes-"));
  EXPECT_EQ(containers().size(), 1u);
  world_.run(reap);
  EXPECT_TRUE(containers().empty());
}

INSTANTIATE_TEST_SUITE_P(Engines, ContainerTest, testing::ValuesIn(kContainerEngines), engine_name);

}  // namespace
}  // namespace talaria::test
