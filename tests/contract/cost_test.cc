// What a command costs beside its own work. bench/ measures; this only finds what is wrong by an
// order of magnitude, on a busy machine, too.
#include <algorithm>
#include <fstream>

#include "support/talaria_test.h"

namespace talaria::test {
namespace {

using std::chrono::milliseconds;

// How long a process has been on a CPU.
std::chrono::nanoseconds cpu_time(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/schedstat");
  std::int64_t nanoseconds = 0;
  file >> nanoseconds;
  return std::chrono::nanoseconds(nanoseconds);
}

class CostTest : public TalariaTest {};

TEST_F(CostTest, TrueIsQuick) {
  LinesClient agent(world_);
  auto best = std::chrono::steady_clock::duration::max();
  for (int i = 0; i < 20; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_EQ(code_of(agent.run("true")), 0);
    best = std::min(best, std::chrono::steady_clock::now() - begin);
  }
  EXPECT_LT(best, milliseconds(60));
}

TEST_F(CostTest, WaitingForALongCommandCostsNothing) {
  LinesClient agent(world_);
  agent.run("true");
  const int id = agent.send({.command = "touch ready; sleep 3"});
  ASSERT_TRUE(eventually([&] { return std::filesystem::exists(world_.path("work/ready")); }));
  const pid_t runner = world_.runner()->pid();
  const auto before = cpu_time(agent.program().pid()) + cpu_time(runner);
  ASSERT_GT(before.count(), 0);
  EXPECT_EQ(code_of(agent.result(id)), 0);
  const auto spent = cpu_time(agent.program().pid()) + cpu_time(runner) - before;
  EXPECT_LT(spent, milliseconds(60)) << spent.count() << " ns in three seconds";
}

}  // namespace
}  // namespace talaria::test
