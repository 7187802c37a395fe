// What a program sees of the work of others on this machine: talaria/home.h and talaria/doctor.h.
#include <talaria/talaria.h>

#include <algorithm>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/own_environment.h"
#include "support/talaria_test.h"

namespace talaria::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

class HomeTest : public TalariaTest {
 protected:
  HomeTest() { take_environment_of(world_); }
};

TEST_F(HomeTest, SeesStopsAndRemovesTheRunnersOfOthers) {
  const Home home;
  EXPECT_EQ(home.directory(), world_.path("home"));
  EXPECT_THAT(home.runners(), IsEmpty());
  EXPECT_THAT(home.stop_runners(false), IsEmpty());
  EXPECT_EQ(home.runner("local").error().kind(), ErrorKind::not_found);

  world_.run({"exec", "--task", "t", "cd /usr"});
  EXPECT_THAT(home.runner_ids(), ElementsAre("local"));
  const Result<RunnerEntry> entry = home.runner("local");
  ASSERT_TRUE(entry) << entry.error().message();
  ASSERT_TRUE(entry->running);
  EXPECT_EQ(entry->running->version, kVersion);
  ASSERT_EQ(entry->sessions.size(), 1u);
  EXPECT_EQ(entry->sessions[0].id, "t");
  EXPECT_EQ(entry->sessions[0].cwd, "/usr");

  const std::vector<StoppedRunner> stopped = home.stop_runners(false);
  ASSERT_EQ(stopped.size(), 1u);
  EXPECT_FALSE(stopped[0].refused);
  EXPECT_EQ(stopped[0].before.pid, entry->running->pid);
  ASSERT_EQ(home.runners().size(), 1u);
  EXPECT_FALSE(home.runners()[0].running);

  EXPECT_TRUE(home.remove_runner("local", false));
  EXPECT_THAT(home.runner_ids(), IsEmpty());
}

TEST_F(HomeTest, KeepsOverridesForEveryProgram) {
  const Home home;
  EXPECT_THAT(home.overrides("t").value(), IsEmpty());
  ASSERT_TRUE(home.store_overrides("t", {{"cwd", "/usr"}}));
  EXPECT_THAT(home.overrides("t").value(), ElementsAre(Pair("cwd", "/usr")));
  EXPECT_EQ(world_.run({"exec", "--task", "t", "pwd"}).out, "/usr\n");
  EXPECT_THAT(home.store_overrides("t", {{"colour", "red"}}).error().message(),
              HasSubstr("unknown override 'colour'"));
  ASSERT_TRUE(home.store_overrides("t", {}));
  EXPECT_THAT(home.overrides("t").value(), IsEmpty());
}

TEST_F(HomeTest, AnExaminationFindsThatItWorksHere) {
  const Examination examination = examine();
  const auto runner = std::ranges::find(examination.findings, "runner", &Finding::check);
  ASSERT_NE(runner, examination.findings.end());
  EXPECT_EQ(runner->verdict, Verdict::ok) << runner->found;
  EXPECT_THAT(examination.leftovers, IsEmpty());
}

TEST(BuildFactsTest, NamesTheRunnersInside) {
  const BuildFacts facts = build_facts();
  EXPECT_EQ(facts.version, kVersion);
  ASSERT_FALSE(facts.runners.empty());
  for (const EmbeddedRunner& runner : facts.runners) {
    EXPECT_EQ(runner.digest.size(), 64u) << runner.architecture;
    EXPECT_GT(runner.bytes, 0u) << runner.architecture;
  }
}

}  // namespace
}  // namespace talaria::test
