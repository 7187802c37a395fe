// A cgroup that allows few processes: shells that wait for commands are the first to end.
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "support/talaria_test.h"

namespace talaria::test {
namespace {

class FewProcessesTest : public TalariaTest {
 protected:
  // Whatever is started from now on is in a group with at most `most` processes.
  bool limit_processes(int most) {
    for (const std::string& parent : {std::string("/sys/fs/cgroup/pids"), world_.cgroup()}) {
      if (parent.empty()) continue;
      const std::string group = parent + "/few-" + std::to_string(::getpid());
      if (::mkdir(group.c_str(), 0755) != 0) continue;
      std::ofstream limit(group + "/pids.max");
      if (limit << most << std::flush) {
        group_ = group;
        world_.start_by({"sh", "-c", "echo $$ >" + group + "/cgroup.procs; exec \"$@\"", "sh"});
        return true;
      }
      ::rmdir(group.c_str());
    }
    return false;
  }

  void TearDown() override {
    TalariaTest::TearDown();
    if (group_.empty()) return;
    EXPECT_TRUE(eventually([&] { return ::rmdir(group_.c_str()) == 0; }));
  }

  std::string group_;
};

TEST_F(FewProcessesTest, IdleShellsMakeRoomForACommand) {
  if (!limit_processes(48)) GTEST_SKIP() << "no cgroup with a limit of processes can be made here";
  LinesClient agent(world_);
  for (int i = 0; i < 12; ++i) agent.run({.command = "true", .task = "t" + std::to_string(i)});
  const json::object result =
      agent.run({.command = "for i in $(seq 32); do sleep 60 & done; echo forked; kill $(jobs -p)",
                 .timeout = 30});
  EXPECT_EQ(code_of(result), 0) << output_of(result);
  EXPECT_NE(output_of(result).find("forked"), std::string::npos) << output_of(result);
}

}  // namespace
}  // namespace talaria::test
