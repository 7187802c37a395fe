// The same slice elsewhere: over one ssh channel, over `docker exec -i` into a hardened container,
// and over both as batches (one run of the carrier per exchange of frames).
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include <boost/json/serialize.hpp>

#include "carriers/carrier_test.h"

namespace talaria::test {
namespace {

TEST_P(CarrierTest, ASessionLivesThereOverManyControllers) {
  ASSERT_EQ(
      world_.run({"exec", "--task", "t", "cd /usr; export A=kept; f() { echo f $A; }"}).code(), 0);
  const Finished later = world_.run({"exec", "--task", "t", "pwd; f"});
  EXPECT_EQ(later.out, "/usr\nf kept\n") << later.err;
}

TEST_P(CarrierTest, TheResultNamesTargetAndTransport) {
  LinesClient client(world_);
  const json::object result = client.run("echo hi; exit 3");
  EXPECT_EQ(output_of(result), "hi");
  EXPECT_EQ(code_of(result), 3);
  EXPECT_EQ(result.at("target").as_string(), "carrier");
  EXPECT_EQ(result.at("transport").as_string(), GetParam().batches ? "batch" : "link");
  EXPECT_EQ(client.end(), 0);
}

// It belongs to someone else (guide/files-at-targets.md).
TEST_P(CarrierTest, NothingOfTheHomeIsCopiedThere) {
  const std::string name = "no-copy-of-" + std::to_string(::getpid());
  const std::string home = world_.directory("home");
  std::filesystem::create_directories(home + "/skills/" + name);
  std::ofstream(home + "/skills/" + name + "/SKILL.md") << "ours\n";
  std::ofstream(home + "/" + name) << "a token\n";
  std::ofstream(home + "/config.yaml") << "terminal:\n  credential_files: [" << name << "]\n";
  const Finished seen = world_.exec("find ~ -name '" + name + "*' 2>/dev/null | wc -l");
  EXPECT_EQ(trim_end(seen.out), "0") << seen.err;
  EXPECT_FALSE(std::filesystem::exists(home + "/talaria/sync"));
  EXPECT_FALSE(std::filesystem::exists(home + "/.sync.lock"));
}

TEST_P(CarrierTest, ATimeoutEndsTheWholeTreeThere) {
  const Finished late =
      world_.run({"exec", "--timeout", "1",
                  "(setsid sleep 4321.5 &); trap '' TERM; sleep 4321.5; sleep 4321.5"});
  EXPECT_EQ(late.code(), 124) << late.err;
  const Finished left = world_.exec("grep -slz 4321[.]5 /proc/[0-9]*/cmdline | wc -l");
  EXPECT_EQ(trim_end(left.out), "0");
}

TEST_P(CarrierTest, OutputComesThroughByteForByte) {
  const Finished long_one = world_.exec("seq 1 300000");
  EXPECT_EQ(long_one.out.size(), 1988895u);
  EXPECT_TRUE(long_one.out.ends_with("\n299999\n300000\n"));
  EXPECT_EQ(long_one.code(), 0) << long_one.err;
}

TEST_P(CarrierTest, InputGoesThere) {
  const Finished read = world_.run({"exec", "--stdin", "wc -c"}, std::string(300'000, 'x'));
  EXPECT_EQ(trim_end(read.out), "300000") << read.err;
}

TEST_P(CarrierTest, AKilledControllerLosesNothingThere) {
  {
    LinesClient client(world_);
    client.run("export KEPT=yes");
    client.send({.command = "sleep 4322.5"});
    ASSERT_TRUE(eventually([&] {
      return trim_end(world_.exec("grep -slz 4322[.]5 /proc/[0-9]*/cmdline | wc -l").out) != "0";
    }));
    client.program().kill(SIGKILL);
  }
  const Finished after = world_.run({"exec", "--task", "t", "echo $KEPT"});
  EXPECT_EQ(after.out, "yes\n") << after.err;
}

INSTANTIATE_TEST_SUITE_P(Ways, CarrierTest, testing::ValuesIn(kWays), way_name);

using DeliveryTest = CarrierBase;

TEST_F(DeliveryTest, PassesOverPlacesWhereProgramsMayNotRun) {
  use_docker("talaria-test", {"--network", "none", "--tmpfs", "/root:rw,noexec,size=32m"});
  const Finished done = world_.exec("ls -d ~/.talaria/talaria-runner-* /workspace/.talaria/*");
  EXPECT_NE(done.out.find("/workspace/.talaria/talaria-runner-"), std::string::npos)
      << done.out << done.err;
}

// Shells that wait for the next command of so many sessions took all 256 processes the container
// may have.
TEST_F(DeliveryTest, ManySessionsLeaveRoomForProcesses) {
  use_docker("talaria-test", kHardened);
  LinesClient agent(world_);
  for (int i = 0; i < 150; ++i) {
    const json::object result = agent.result(
        agent.send("terminal", {{"command", "echo on"}}, "session-" + std::to_string(i)));
    ASSERT_EQ(output_of(result), "on") << i << ": " << error_of(result);
  }
  EXPECT_EQ(output_of(agent.run("for i in {1..100}; do sleep 1 & done; wait; echo all")), "all");
}

TEST_F(DeliveryTest, SaysSoWhenNoPlaceLetsProgramsRunAndGoesOnWithout) {
  use_docker("talaria-test", kNowhereExecutableFlags);
  const Finished done = world_.exec("echo hi");
  EXPECT_EQ(done.out, "hi\n");
  EXPECT_NE(done.err.find("no place here lets programs run"), std::string::npos) << done.err;
}

TEST_F(DeliveryTest, WorksForAUserWithoutAHome) {
  use_docker("talaria-test", {"--network", "none", "--user", "1234:1234", "--shm-size", "64m",
                              "--tmpfs", "/workspace:rw,exec,size=32m,mode=1777"});
  const Finished done = world_.exec("id -u");
  EXPECT_EQ(done.out, "1234\n") << done.err;
}

TEST_F(DeliveryTest, ATargetWithoutBashIsUsedWithSh) {
  use_docker("talaria-poor", {"--network", "none"});
  LinesClient agent(world_);
  const json::object first = agent.run("echo $0; cd /etc; export A=kept; alias greet='echo hi'");
  EXPECT_EQ(output_of(first), "sh");
  EXPECT_NE(json::serialize(first).find("this target has no bash"), std::string::npos) << first;
  EXPECT_EQ(output_of(agent.run("pwd; echo $A; greet")), "/etc\nkept\nhi");
  const json::object failed = agent.run("[[ a == a ]] && arr=(1 2)");
  EXPECT_NE(code_of(failed), 0);
  // A runner with sanitizers is not static and cannot run there: that is the plain path's part.
  if (!TALARIA_STATIC_RUNNER) return;
  EXPECT_NE(json::serialize(failed).find("commands run in sh"), std::string::npos) << failed;
  const std::string id = agent.start_process("read -r x; echo got $x", {{"pty", true}});
  agent.process({{"action", "submit"}, {"session_id", id}, {"data", "input"}});
  const json::object ended =
      agent.process({{"action", "wait"}, {"session_id", id}, {"timeout", 20}});
  EXPECT_NE(json::serialize(ended).find("got input"), std::string::npos) << ended;
}

// All of them were one environment: what ran behind one was reported as lost by the other.
TEST_F(DeliveryTest, EachCarrierHasAnEnvironmentOfItsOwn) {
  const auto use = [this](const std::string& place) {
    world_.set("TERMINAL_CARRIER", "env HOME=" + world_.directory(place));
  };
  std::map<std::string, std::string> processes;
  for (const char* place : {"a", "b"}) {
    use(place);
    LinesClient agent(world_);
    processes[place] = agent.start_process("sleep 4331.5");
    EXPECT_EQ(agent.end(), 0);
  }
  for (const char* place : {"a", "b", "a"}) {
    use(place);
    const Finished listed = world_.run({"ps", "--json"});
    EXPECT_NE(listed.out.find(processes[place]), std::string::npos) << listed.out;
    EXPECT_EQ(listed.out.find("lost"), std::string::npos) << listed.out;
    EXPECT_NE(listed.out.find("running"), std::string::npos) << listed.out;
  }
  EXPECT_EQ(world_.run({"events", "--all"}).out.find("lost"), std::string::npos);
  for (const char* place : {"a", "b"}) {
    const auto runner = Runner::in(directory_below(world_.path(place) + "/.talaria", "run-"));
    ASSERT_TRUE(runner);
    runner->kill(SIGTERM);
    EXPECT_TRUE(runner->wait_gone());
  }
}

TEST_F(DeliveryTest, ACarrierThatFailsIsQuoted) {
  world_.set("TERMINAL_CARRIER", "echo nothing to see here >&2; false");
  const Finished refused = world_.exec("true");
  EXPECT_EQ(refused.code(), 125);
  EXPECT_NE(refused.err.find("nothing to see here"), std::string::npos) << refused.err;
}

}  // namespace
}  // namespace talaria::test
