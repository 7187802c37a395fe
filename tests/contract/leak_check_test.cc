// The leak check itself: whatever is left behind on purpose, it must find.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

#include <gmock/gmock.h>

#include "support/talaria_test.h"

namespace talaria::test {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::chrono::milliseconds kSoon{300};

TEST(LeakCheck, FindsNothingWhereNothingIs) {
  World world;
  EXPECT_EQ(world.exec("echo a").out, "a\n");
  EXPECT_THAT(world.leaks(), IsEmpty());
}

TEST(LeakCheck, FindsADaemonThatLeftItsParents) {
  World world;
  ProgramSpec spec = world.spec({});
  spec.argv = {"sh", "-c", "(setsid sleep 301 >/dev/null 2>&1 &)"};
  Program parent(spec);
  EXPECT_TRUE(parent.wait());
  EXPECT_THAT(world.leaks(kSoon), Contains(HasSubstr("sleep 301")));
}

TEST(LeakCheck, FindsAStoppedProcess) {
  World world;
  ProgramSpec spec = world.spec({});
  spec.argv = {"sh", "-c", "sh -c 'kill -STOP $$' >/dev/null 2>&1 & exit"};
  Program parent(spec);
  EXPECT_TRUE(parent.wait());
  EXPECT_THAT(world.leaks(kSoon), Contains(HasSubstr("kill -STOP")));
}

TEST(LeakCheck, FindsFilesAndWhatTheRunnerComplainedOf) {
  World world;
  EXPECT_EQ(world.exec("true").code(), 0);
  std::ofstream(world.runner_directory() + "/spill/proc_1") << "x";
  std::ofstream(world.runner_directory() + "/runner.log", std::ios::app) << "terminate called";
  const auto leaks = world.leaks();
  EXPECT_THAT(leaks, Contains(HasSubstr("spill/proc_1")));
  EXPECT_THAT(leaks, Contains(HasSubstr("terminate called")));
}

TEST(LeakCheck, FindsTheSocketOfAKilledRunner) {
  World world;
  EXPECT_EQ(world.exec("true").code(), 0);
  world.runner()->kill(SIGKILL);
  EXPECT_TRUE(world.runner()->wait_gone());
  EXPECT_THAT(world.leaks(), Contains(HasSubstr("link-v1.sock")));
}

TEST(LeakCheck, FindsADescriptor) {
  World world;
  const os::UniqueFd extra(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  EXPECT_THAT(world.leaks(), Contains(HasSubstr("1 descriptors more")));
}

TEST(LeakCheck, FindsACgroup) {
  World world;
  if (world.cgroup().empty()) GTEST_SKIP() << "no cgroup can be made here";
  ASSERT_EQ(::mkdir((world.cgroup() + "/talaria-left").c_str(), 0755), 0);
  EXPECT_THAT(world.leaks(), Contains(HasSubstr("talaria-left")));
}

}  // namespace
}  // namespace talaria::test
