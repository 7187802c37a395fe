// The ssh target: what is its own. That commands, sessions and processes work there as everywhere
// is the contract kit's to show.
#include "targets/ssh_test.h"

#include <algorithm>
#include <sstream>

#include <boost/json/serialize.hpp>
#include <gmock/gmock.h>

#include "environment/home_mark.h"
#include "environment/ssh/ssh_environment.h"
#include "support/cut_proxy.h"
#include "testing/run_to_end.h"

namespace talaria::test {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST_F(SshTest, AResultNamesItsTargetAndTransport) {
  LinesClient agent(world_);
  const json::object result = agent.run("pwd; exit 3");
  EXPECT_EQ(output_of(result), server_->home());
  EXPECT_EQ(code_of(result), 3);
  EXPECT_EQ(text(result, "target"), "ssh");
  EXPECT_EQ(text(result, "transport"), "link");
}

TEST_F(SshTest, TheTildeIsTheHomeThere) {
  std::filesystem::create_directory(server_->home() + "/my proj");
  world_.set("TERMINAL_CWD", "~/my proj");
  EXPECT_EQ(world_.exec("pwd").out, server_->home() + "/my proj\n");
}

TEST_F(SshTest, ADirectoryThatIsNotThereIsSaid) {
  world_.set("TERMINAL_CWD", "/no/such/directory");
  LinesClient agent(world_);
  const json::object result = agent.run("pwd");
  EXPECT_EQ(code_of(result), 0);
  EXPECT_THAT(notices_of(result), HasSubstr("/no/such/directory"));
}

// ssh joins its words, and the login shell there reads them once more.
TEST_F(SshTest, AScriptArrivesByteForByte) {
  const std::string nasty =
      "printf '%s|' \"a  b\" '$HOME' \"it's\" '\"' '\\' '`id`' '!' '*' '#' 'ü'\nprintf '%s' '\n'";
  const Finished local = [&] {
    world_.set("TERMINAL_ENV", "local");
    Finished done = world_.exec(nasty);
    world_.stop_runner();
    world_.set("TERMINAL_ENV", "ssh");
    return done;
  }();
  const Finished there = world_.exec(nasty);
  EXPECT_EQ(there.code(), 0) << there.err;
  EXPECT_EQ(there.out, local.out);
  EXPECT_EQ(there.out, "a  b|$HOME|it's|\"|\\|`id`|!|*|#|ü|\n");
}

// Every command paid for them.
TEST_F(SshTest, RcFilesArePaidOncePerConnection) {
  server_->write(".bashrc", "echo x >>~/read; sleep 0.3; echo noise; echo more noise >&2\n");
  LinesClient agent(world_);
  EXPECT_EQ(output_of(agent.run("echo first")), "first");
  const std::string read_before = server_->read("read");
  EXPECT_FALSE(read_before.empty());
  const auto begun = std::chrono::steady_clock::now();
  for (int i = 0; i < 20; ++i) {
    const json::object result = agent.run("echo " + std::to_string(i));
    EXPECT_EQ(output_of(result), std::to_string(i));
  }
  EXPECT_LT(since(begun), std::chrono::seconds(4));
  EXPECT_EQ(server_->read("read"), read_before);
}

// The first use paid three times before its session began: to look for a runner, to deliver it and
// to start it.
TEST_F(SshTest, ARunnerIsDeliveredAndStartedInOneLogin) {
  server_->write(".bashrc", "echo \"$0 $-\" >>~/read\n");
  EXPECT_EQ(world_.exec("umask").out, "0022\n");
  EXPECT_EQ(std::ranges::count(server_->read("read"), '\n'), 1) << server_->read("read");
}

TEST_F(SshTest, ManyProgramsAndEnvironmentsShareOneConnection) {
  LinesClient first(world_);
  EXPECT_EQ(output_of(first.run("echo 1")), "1");
  LinesClient second(world_);
  EXPECT_EQ(output_of(second.run("echo 2")), "2");
  EXPECT_EQ(world_.exec("echo 3").out, "3\n");
  EXPECT_EQ(server_->connections().size(), 1u);
  EXPECT_EQ(masters().size(), 1u);
}

// Hermes ended the shared connection with the first environment.
TEST_F(SshTest, TheEndOfOneEnvironmentDoesNotTouchTheOther) {
  LinesClient stays(world_);
  EXPECT_EQ(output_of(stays.run("echo 1")), "1");
  {
    LinesClient goes(world_);
    EXPECT_EQ(output_of(goes.run("echo 2")), "2");
    EXPECT_EQ(goes.end(), 0);
  }
  const int running = stays.send({.command = "sleep 0.5; echo still"});
  EXPECT_EQ(world_.exec("true").code(), 0);
  EXPECT_EQ(output_of(stays.result(running)), "still");
  EXPECT_EQ(server_->connections().size(), 1u);
}

TEST_F(SshTest, AMasterThatWasKilledIsNoObstacle) {
  LinesClient agent(world_);
  EXPECT_EQ(output_of(agent.run("export A=kept; echo 1")), "1");
  ASSERT_EQ(masters().size(), 1u);
  ::kill(masters().front(), SIGKILL);  // its socket stays
  ASSERT_TRUE(eventually([] { return masters().empty(); }));
  EXPECT_EQ(output_of(agent.run("echo $A")), "kept");
  EXPECT_EQ(world_.exec("echo 2").out, "2\n");
}

class SshLossTest : public SshTest, public testing::WithParamInterface<const char*> {
 protected:
  void lose_connection() {
    if (GetParam() == std::string("Client")) {
      for (const pid_t pid : clients()) ::kill(pid, SIGKILL);
    } else if (GetParam() == std::string("Master")) {
      for (const pid_t pid : masters()) ::kill(pid, SIGKILL);
    } else {
      server_->kill_connections();
    }
  }
};

TEST_P(SshLossTest, ACommandUnderWayGoesOnAndItsResultArrives) {
  const auto running =
      world_.start({"exec",
                    "echo x >>runs; for i in $(seq 1 2000); do echo line $i; done; "
                    "touch there; while [ ! -e go ]; do sleep 0.05; done; "
                    "for i in $(seq 2001 4000); do echo line $i; done; exit 7"});
  ASSERT_TRUE(eventually([&] { return std::filesystem::exists(server_->home() + "/there"); }));
  lose_connection();
  server_->write("go", "");
  const auto status = running->wait();
  ASSERT_TRUE(status.has_value()) << running->err();
  EXPECT_EQ(exit_code_of(*status), 7) << running->err();
  std::string expected;
  for (int i = 1; i <= 4000; ++i) expected += "line " + std::to_string(i) + "\n";
  EXPECT_TRUE(running->out() == expected) << running->out().size() << " bytes";
  EXPECT_EQ(server_->read("runs"), "x\n");
}

INSTANTIATE_TEST_SUITE_P(Ways, SshLossTest, testing::Values("Client", "Master", "Server"),
                         [](const auto& way) { return std::string(way.param); });

TEST_F(SshTest, CutsInTheStreamLoseAndRepeatNothing) {
  EXPECT_EQ(world_.exec("true").code(), 0);
  const CutProxy proxy(runner_directory(), {{.from_runner = 300'000},
                                            {.from_runner = 70'000},
                                            {.from_controller = 100},
                                            {.from_runner = 500'000}});
  const Finished all = world_.exec("echo x >>runs; seq 1 300000");
  EXPECT_EQ(all.code(), 0) << all.err;
  EXPECT_EQ(all.out.size(), 1'988'895u);
  EXPECT_TRUE(all.out.ends_with("\n299999\n300000\n"));
  EXPECT_EQ(server_->read("runs"), "x\n");
  EXPECT_EQ(proxy.cuts_made(), 4u);
}

// A network that is gone sends no goodbye: only what the configuration says about silence helps.
TEST_F(SshTest, AConnectionThatFellSilentIsReplaced) {
  add_config("ServerAliveInterval 1\nServerAliveCountMax 2");
  LinesClient agent(world_);
  EXPECT_EQ(output_of(agent.run("echo 1")), "1");
  const std::vector<pid_t> frozen = server_->connections();
  ASSERT_EQ(frozen.size(), 1u);
  const int running = agent.send({.command = "touch there; sleep 1; echo still"});
  ASSERT_TRUE(eventually([&] { return std::filesystem::exists(server_->home() + "/there"); }));
  ::kill(frozen.front(), SIGSTOP);
  EXPECT_EQ(output_of(agent.result(running)), "still");
  ::kill(frozen.front(), SIGKILL);
}

TEST_F(SshTest, OnlyACommandExitsWith255) {
  EXPECT_EQ(world_.exec("exit 255").code(), 255);
  server_->stop();
  const Finished lost = world_.exec("true");
  EXPECT_EQ(lost.code(), 125);
  EXPECT_THAT(lost.err, HasSubstr("SSH connection failed: "));
  EXPECT_THAT(lost.err, HasSubstr("Connection refused"));
}

TEST_F(SshTest, AServerThatGoesIsATransportErrorAndWhenItIsBackTheSessionIs) {
  LinesClient agent(world_);
  EXPECT_EQ(output_of(agent.run("export A=kept; cd /usr; echo 1")), "1");
  const int running = agent.send({.command = "sleep 1000"});
  ASSERT_TRUE(eventually([&] { return !there()->shells().empty(); }));
  server_->stop();
  const json::object lost = agent.result(running, std::chrono::seconds(40));
  EXPECT_EQ(code_of(lost), -1);
  EXPECT_THAT(error_of(lost), HasSubstr("Connection refused"));
  const json::object refused =
      agent.result(agent.send({.command = "true"}), std::chrono::seconds(40));
  EXPECT_EQ(code_of(refused), -1);
  server_->start();
  EXPECT_EQ(output_of(agent.run("echo $A; pwd")), "kept\n/usr");
}

TEST_F(SshTest, WhatIsMissingIsNamed) {
  world_.set("TERMINAL_SSH_USER", "");
  EXPECT_THAT(world_.exec("true").err,
              HasSubstr("SSH environment requires ssh_host and ssh_user to be configured"));
  world_.set("TERMINAL_SSH_USER", "-oProxyCommand=true");
  EXPECT_THAT(world_.exec("true").err, HasSubstr("TERMINAL_SSH_USER"));
  world_.set("TERMINAL_SSH_USER", "root");
  world_.set("TERMINAL_SSH_CONFIG", world_.path("none"));
  world_.set("TERMINAL_SSH_HOST", "host.invalid");
  EXPECT_THAT(world_.exec("true").err, HasSubstr("SSH connection failed: "));
  world_.set("PATH", world_.directory("empty"));
  EXPECT_THAT(world_.exec("true").err, HasSubstr("SSH is not installed or not in PATH"));
}

TEST_F(SshTest, AKeyThatIsRefusedIsSaidInTheWordsOfSsh) {
  use_config("Host talaria-test\nHostName 127.0.0.1\nPort " + server_->port() +
             "\nIdentityFile /dev/null\nIdentitiesOnly yes\nIdentityAgent none\n"
             "UserKnownHostsFile " +
             server_->known_hosts() + "\n");
  const Finished refused = world_.exec("true");
  EXPECT_EQ(refused.code(), 125);
  EXPECT_THAT(refused.err, HasSubstr("SSH connection failed: "));
  EXPECT_THAT(refused.err, HasSubstr("Permission denied"));
}

// Only the banner of the host was shown, or nothing.
TEST_F(SshTest, AnRcFileThatExitsIsNamedAsThePossibleCause) {
  server_->write(".bashrc", "exit 0\n");
  const Finished refused = world_.exec("true");
  EXPECT_EQ(refused.code(), 125);
  EXPECT_THAT(refused.err, HasSubstr("an rc file (~/.bashrc) may contain `exit`"));
}

// It was tried twice, which left two shells there, and the message named the time of one try.
TEST_F(SshTest, AnRcFileThatHangsLeavesOneShellPerCall) {
  add_config("ConnectTimeout 1");
  server_->write(".bashrc", "echo $$ >>~/shells; exec sleep 100\n");
  for (std::ptrdiff_t shells = 1; shells <= 2; ++shells) {
    const auto program = world_.start({"exec", "true"});
    const auto ended = program->wait(2 * kPatience);
    ASSERT_TRUE(ended);
    EXPECT_EQ(exit_code_of(*ended), 125);
    EXPECT_THAT(program->err(), HasSubstr("no answer in 21 s. An rc file there"));
    EXPECT_EQ(std::ranges::count(server_->read("shells"), '\n'), shells);
  }
  std::istringstream pids(server_->read("shells"));
  for (pid_t pid = 0; pids >> pid;) ::kill(pid, SIGKILL);
}

// Every call failed until the controller was restarted.
TEST_F(SshTest, ADirectoryOfTheRunnerThatWasMovedAwayIsReplaced) {
  LinesClient agent(world_);
  agent.run("export A=1");
  const auto runner = there();
  ASSERT_TRUE(runner);
  std::filesystem::rename(server_->home() + "/.talaria", server_->home() + "/moved");
  EXPECT_TRUE(runner->wait_gone());
  json::object after = agent.run("echo \"<$A>\"");
  // The connection may still have looked open: then nobody knows whether it ran there.
  if (error_of(after).contains("runner_lost")) after = agent.run("echo \"<$A>\"");
  EXPECT_EQ(output_of(after), "<>") << json::serialize(after);
  EXPECT_THAT(notices_of(after), HasSubstr("This session starts anew"));
}

// What a person wrote into the ssh configuration counts, and what nobody said is ours to say.
class SshConfigTest : public SshTest {
 protected:
  void SetUp() override {
    SshTest::SetUp();
    std::ofstream(world_.directory("bin") + "/ssh")
        << "#!/bin/sh\necho \"$*\" >>" << world_.path("calls") << "\nexec /usr/bin/ssh \"$@\"\n";
    std::filesystem::permissions(world_.path("bin/ssh"), std::filesystem::perms::owner_all);
    world_.set("PATH", world_.path("bin") + ":/usr/bin:/bin");
  }
  // The last call, but for the script.
  std::string last_call() const {
    const std::string all = world_.read("calls");
    const auto at = all.rfind("-F " + world_.path(""));
    return all.substr(at, all.find("talaria-test sh -c", at) - at);
  }
};

TEST_F(SshConfigTest, OurDefaultsAreThoseOfHermes) {
  std::ofstream(world_.path("known")) << "";
  use_config(
      "Host talaria-test\nHostName 127.0.0.1\nIdentitiesOnly yes\nIdentityAgent none\n"
      "UserKnownHostsFile " +
      world_.path("known") + "\n");
  world_.set("TERMINAL_SSH_PORT", server_->port());
  world_.set("TERMINAL_SSH_KEY", server_->key());
  const Finished done = world_.exec("echo hi");
  EXPECT_EQ(done.out, "hi\n") << done.err;
  const std::string call = last_call();
  for (const char* part :
       {"-o ControlPath=", "-o ControlMaster=auto", "-o ControlPersist=300", "-o BatchMode=yes",
        "-o StrictHostKeyChecking=accept-new", "-o ConnectTimeout=10"}) {
    EXPECT_THAT(call, HasSubstr(part));
  }
  EXPECT_TRUE(call.ends_with("-p " + server_->port() + " -i " + server_->key() + " root@")) << call;
  EXPECT_THAT(world_.read("known"), HasSubstr("127.0.0.1"));  // accepted, and remembered
}

TEST_F(SshConfigTest, ThePersonsConfigurationWins) {
  add_config(
      "StrictHostKeyChecking yes\nConnectTimeout 7\nServerAliveInterval 3\n"
      "ControlPath " +
      world_.path("own-%C") +
      "\nControlPersist 5\nRequestTTY force\n"
      "RemoteCommand none");
  const Finished done = world_.exec("echo hi");
  EXPECT_EQ(done.out, "hi\n") << done.err;
  const std::string call = last_call();
  for (const char* part : {"StrictHostKeyChecking", "ConnectTimeout", "ServerAliveInterval",
                           "ControlPath", "ControlPersist"}) {
    EXPECT_THAT(call, Not(HasSubstr(part)));
  }
  EXPECT_THAT(call, HasSubstr("ControlMaster=auto"));
  bool own_socket = false;
  for (const auto& entry : std::filesystem::directory_iterator(world_.path(""))) {
    own_socket |= entry.path().filename().string().starts_with("own-");
  }
  EXPECT_TRUE(own_socket);
}

TEST_F(SshConfigTest, AHostKeyNobodyKnowsIsRefusedIfThePersonWantsThat) {
  add_config("UserKnownHostsFile /dev/null");  // the server's own says: StrictHostKeyChecking yes
  const Finished refused = world_.exec("true");
  EXPECT_EQ(refused.code(), 125);
  EXPECT_THAT(refused.err, HasSubstr("Host key verification failed"));
}

TEST_F(SshConfigTest, AHostBehindAnotherIsReachedAsConfigured) {
  add_config("Host behind\nProxyJump talaria-test\nHostName 127.0.0.1\nPort " + server_->port() +
             "\nIdentityFile " + server_->key() + "\nUserKnownHostsFile " + server_->known_hosts() +
             "\nIdentityAgent none");
  world_.set("TERMINAL_SSH_HOST", "behind");
  const Finished done = world_.exec("echo hi");
  EXPECT_EQ(done.out, "hi\n") << done.err;
}

TEST_F(SshTest, ControlSocketsArePrivateAndShortEnoughInALongHome) {
  world_.use_home("user/" + std::string(120, 'h'));
  EXPECT_EQ(world_.exec("true").code(), 0);
  ASSERT_EQ(masters().size(), 1u);
  std::string line =
      os::read_file("/proc/" + std::to_string(masters().front()) + "/cmdline", 4096).value();
  const std::string path = line.substr(5, line.find(" [mux]") - 5);
  EXPECT_LE(path.size() + 17, 103u) << path;
  const auto directory = std::filesystem::path(path).parent_path();
  EXPECT_EQ(std::filesystem::status(directory).permissions(), std::filesystem::perms::owner_all);
  EXPECT_EQ(world_.exec("true").code(), 0);
  EXPECT_EQ(masters().size(), 1u);
  std::filesystem::remove_all(directory);
}

class SshCloseTest : public SshTest {
 protected:
  Result<void> close(bool remove) {
    asio::io_context loop(1);
    auto made = run_to_end(
        loop, environment::ssh::make_ssh_environment(
                  {.host = "talaria-test", .user = "root", .config_file = server_->config()},
                  {.target = "ssh",
                   .home = world_.path("home"),
                   .home_mark = environment::home_mark(world_.path("home")),
                   .lifetime = std::chrono::seconds(60)}));
    if (!made) return fail(made.error());
    const auto closed = run_to_end(loop, (*made)->close(remove));
    made->reset();
    loop.restart();
    loop.run();
    return closed;
  }
};

TEST_F(SshCloseTest, ClosingEndsNothingThere) {
  LinesClient agent(world_);
  const std::string id = agent.start_process("sleep 1000");
  const auto closed = close(false);
  EXPECT_TRUE(closed) << closed.error().message();
  EXPECT_EQ(text(poll(agent, id), "status"), "running");
  EXPECT_EQ(text(kill(agent, id), "status"), "killed");
}

TEST_F(SshCloseTest, RemovingEndsTheRunnerWithAllItRunsAndLeavesNothing) {
  server_->write("mine", "");
  LinesClient agent(world_);
  agent.start_process("sleep 1000");
  const auto runner = there();
  ASSERT_TRUE(runner && runner->alive());
  const std::vector<pid_t> shells = runner->shells();
  const auto closed = close(true);
  EXPECT_TRUE(closed) << closed.error().message();
  EXPECT_FALSE(runner->alive());
  for (const pid_t pid : shells) EXPECT_FALSE(os::read_process_stat(pid).has_value()) << pid;
  EXPECT_FALSE(std::filesystem::exists(server_->home() + "/.talaria"));
  EXPECT_TRUE(std::filesystem::exists(server_->home() + "/mine"));
}

}  // namespace
}  // namespace talaria::test
