// No room and no descriptors: a command still runs where it can, and what could not be kept is
// said.
#include <unistd.h>

#include <csignal>

#include <boost/json/array.hpp>

#include "support/talaria_test.h"

namespace talaria::test {
namespace {

// Starts the runner in a mount namespace of its own where `part` of its directory is a small disk.
class FullDiskTest : public TalariaTest {
 protected:
  void start_runner_with_small(const std::string& part, const std::string& size) {
    world_.exec("true");  // makes the directories
    world_.stop_runner();
    const std::string directory = world_.runner_directory() + "/" + part;
    std::filesystem::create_directories(directory);
    const std::string script = "mount -t tmpfs -o mode=700,size=" + size + " none '" + directory +
                               "' && exec '" + World::talaria() + "' exec true";
    ProgramSpec spec = world_.spec({});
    spec.argv = {"unshare", ::getuid() == 0 ? "-m" : "-rm", "sh", "-c", script};
    Program starter(spec);
    const auto status = starter.wait();
    if (!status || exit_code_of(*status) != 0) {
      GTEST_SKIP() << "no mount namespace can be made here: " << starter.err();
    }
  }
};

TEST_F(FullDiskTest, OutputThatCannotBeSpilledIsSaidAndTheCommandRuns) {
  start_runner_with_small("spill", "256k");
  if (IsSkipped()) return;
  LinesClient agent(world_);
  const json::object result = agent.run("seq 1 400000; echo end");
  EXPECT_EQ(code_of(result), 0);
  EXPECT_TRUE(output_of(result).ends_with("400000\nend"));
  EXPECT_TRUE(output_of(result).starts_with("1\n2\n"));
  EXPECT_EQ(result.at("output_total_bytes").to_number<std::int64_t>(), 2'688'899);
  EXPECT_FALSE(notices_of(result).empty());
}

TEST_F(FullDiskTest, ASessionStateThatCannotBeWrittenIsSaidAndStaysInMemory) {
  start_runner_with_small("sessions", "64k");
  if (IsSkipped()) return;
  LinesClient agent(world_);
  const json::object result = agent.run("export BIG=$(head -c 100000 /dev/zero | tr '\\0' x)");
  EXPECT_EQ(code_of(result), 0);
  EXPECT_NE(notices_of(result).find("not on disk"), std::string::npos) << notices_of(result);
  EXPECT_EQ(output_of(agent.run("echo ${#BIG}")), "100000");
}

TEST_F(FullDiskTest, CommandsRunWhenThereIsNoRoomForThePrelude) {
  start_runner_with_small("prelude", "16k");
  if (IsSkipped()) return;
  LinesClient agent(world_);
  const std::string body(20'000, 'x');
  EXPECT_EQ(code_of(agent.run("f() { echo " + body + "; }; shopt -s nullglob")), 0);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(output_of(agent.run("f")), body);
    EXPECT_EQ(output_of(agent.run("shopt -q nullglob && echo on")), "on");
  }
  EXPECT_EQ(output_of(agent.run({.command = "echo other", .task = "other"})), "other");
}

TEST_F(FullDiskTest, AProcessThatCannotBeNotedIsNotStarted) {
  start_runner_with_small("jobs", "16k");
  if (IsSkipped()) return;
  const std::string filler = "'" + world_.runner_directory() + "/jobs/filler'";
  LinesClient agent(world_);
  agent.run("head -c 100000 /dev/zero > " + filler);
  const json::object failed = agent.start("touch ../ran; sleep 100");
  EXPECT_EQ(code_of(failed), -1);
  EXPECT_FALSE(failed.contains("session_id"));
  EXPECT_NE(error_of(failed).find("No space left on device"), std::string::npos)
      << error_of(failed);
  EXPECT_NE(error_of(failed).find("make room there"), std::string::npos) << error_of(failed);
  const json::object list = agent.process({{"action", "list"}});
  EXPECT_TRUE(list.at("processes").as_array().empty());
  EXPECT_FALSE(std::filesystem::exists(world_.path("ran")));
  agent.run("rm " + filler);
  EXPECT_TRUE(agent.start("true").contains("session_id"));
}

// Otherwise nobody could make room.
TEST_F(FullDiskTest, ARunnerStartsAndSaysThatStateIsOnlyInMemory) {
  const std::string home = world_.directory("home");
  const std::string talaria = World::talaria();
  const std::string call =
      R"({"id":1,"tool":"terminal","args":{"command":"export A=1; echo ran"},"task":"t"})";
  const std::string script = "mount -t tmpfs -o mode=700,size=32m none '" + home +
                             "' || exit 77; '" + talaria + "' exec true && '" + talaria +
                             "' stop --all && cat /dev/zero >'" + home +
                             "/filler'; printf '%s\\n' '" + call + "' | '" + talaria +
                             "' call --lines; '" + talaria + "' stop --all --force";
  ProgramSpec spec = world_.spec({});
  spec.argv = {"unshare", ::getuid() == 0 ? "-m" : "-rm", "sh", "-c", script};
  Program program(spec);
  const auto status = program.wait();
  ASSERT_TRUE(status);
  if (exit_code_of(*status) == 77) GTEST_SKIP() << "no mount namespace can be made here";
  EXPECT_NE(program.out().find(R"("output":"ran","exit_code":0)"), std::string::npos)
      << program.out() << program.err();
  EXPECT_NE(program.out().find("the session's state is only in memory"), std::string::npos)
      << program.out();
}

TEST_F(FullDiskTest, StoredOutputOfEndedCommandsIsBounded) {
  start_runner_with_small("spill", "8m");
  if (IsSkipped()) return;
  LinesClient agent(world_);
  for (int i = 0; i < 8; ++i) {
    const std::string id = agent.start_process("seq 1 70000");
    agent.process({{"action", "wait"}, {"session_id", id}, {"timeout", 10}});
  }
  // A quarter of the disk: four of them.
  const auto stored = [&] {
    const std::string count = "ls '" + world_.runner_directory() + "/spill' | wc -l";
    return std::stoi(output_of(agent.run(count)));
  };
  EXPECT_TRUE(eventually([&] { return stored() <= 5; })) << stored();
}

class NoDescriptorsTest : public TalariaTest {
 protected:
  // The limit is a hard one: a runner takes all it may.
  void start_runner_with_descriptors(int limit) {
    ProgramSpec spec = world_.spec({});
    const std::string number = std::to_string(limit);
    spec.argv = {"prlimit", "--nofile=" + number + ":" + number, World::talaria(), "exec", "true"};
    Program starter(spec);
    EXPECT_TRUE(starter.wait());
  }
};

TEST_F(NoDescriptorsTest, ARunnerWithoutDescriptorsSaysSoAndRecovers) {
  start_runner_with_descriptors(60);
  LinesClient agent(world_);
  const auto mark = [&](std::size_t i) { return "began-" + std::to_string(i); };
  std::vector<int> ids;
  for (std::size_t i = 0; i < 30; ++i) {
    ids.push_back(agent.send({.command = "touch ../" + mark(i) +
                                         "; until [ -e ../go ]; do sleep 0.02; done; echo ran"}));
  }
  // Each of them runs or is refused while the others run. How many fit, and which, depends on how
  // far the others are.
  const auto is_decided = [&](std::size_t i) {
    return std::filesystem::exists(world_.path(mark(i))) || agent.is_answered(ids[i]);
  };
  for (std::size_t i = 0; i < ids.size(); ++i) {
    EXPECT_TRUE(eventually([&] { return is_decided(i); })) << i;
  }
  std::filesystem::create_directory(world_.path("go"));
  int refused = 0;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const json::object result = agent.result(ids[i]);
    const std::string error = error_of(result);
    EXPECT_EQ(output_of(result) == "ran", error.empty()) << error;
    if (error.empty()) continue;
    ++refused;
    EXPECT_NE(error.find("Too many open files"), std::string::npos) << error;
  }
  EXPECT_GT(refused, 0);
  EXPECT_LT(refused, 30);
  EXPECT_TRUE(eventually([&] { return output_of(agent.run("echo again")) == "again"; }));
}

// What never ran is said not to have run: then it may be tried again.
TEST_F(NoDescriptorsTest, ACommandThatCouldNotBeStartedIsNotSaidToBeLost) {
  start_runner_with_descriptors(80);
  LinesClient agent(world_);
  std::vector<int> ids;
  for (int i = 0; i < 40; ++i) {
    const std::string number = std::to_string(i);
    ids.push_back(
        agent.send({.command = "touch ../ran-" + number + "; sleep 0.5", .task = "t" + number}));
  }
  int refused = 0;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const std::string error = error_of(agent.result(ids[i]));
    const bool ran = std::filesystem::exists(world_.path("ran-" + std::to_string(i)));
    refused += error.empty() ? 0 : 1;
    EXPECT_EQ(ran, error.empty()) << error;
    EXPECT_EQ(error.find("runner_lost"), std::string::npos) << error;
  }
  EXPECT_GT(refused, 0);
}

TEST_F(NoDescriptorsTest, ARunnerThatCouldNotServeSaysSoAndEnds) {
  ProgramSpec spec = world_.spec({});
  spec.argv = {"prlimit", "--nofile=12:12", World::talaria(), "exec", "true"};
  Program starved(spec);
  const auto status = starved.wait();
  ASSERT_TRUE(status);
  EXPECT_EQ(exit_code_of(*status), 125);
  EXPECT_NE(starved.err().find("12 open files"), std::string::npos) << starved.err();
  EXPECT_EQ(world_.exec("true").code(), 0);
}

TEST_F(NoDescriptorsTest, AControllerWithoutDescriptorsSaysSo) {
  world_.exec("true");
  ProgramSpec spec = world_.spec({});
  spec.argv = {"prlimit", "--nofile=7:7", World::talaria(), "exec", "true"};
  Program starved(spec);
  const auto status = starved.wait();
  ASSERT_TRUE(status);
  EXPECT_EQ(exit_code_of(*status), 125);
  EXPECT_NE(starved.err().find("open files"), std::string::npos) << starved.err();
}

}  // namespace
}  // namespace talaria::test
