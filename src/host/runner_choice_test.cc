#include "host/runner_choice.h"

#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "testing/temporary_directory.h"

namespace talaria::host {
namespace {

class RunnerChoiceTest : public testing::Test {
 protected:
  std::string run() const { return home_ + "/talaria/run"; }

  const test::TemporaryDirectory temporary_;
  const std::string home_ = temporary_.path();
};

TEST_F(RunnerChoiceTest, TheFirstProgramOfAHomeDecides) {
  EXPECT_EQ(RunnerChoice(home_, 5).count(), 5u);
  EXPECT_EQ(RunnerChoice(home_, 2).count(), 5u);
  EXPECT_EQ(RunnerChoice(home_, 0).count(), 5u);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(run()), {}), 1);
}

TEST_F(RunnerChoiceTest, AHomeThatWasUsedBeforeHasOne) {
  std::filesystem::create_directories(run() + "/local");
  EXPECT_EQ(RunnerChoice(home_, 5).count(), 1u);
  EXPECT_FALSE(std::filesystem::exists(run() + "/runners"));
}

TEST_F(RunnerChoiceTest, OneNeedsNoFile) {
  EXPECT_EQ(RunnerChoice(home_, 1).count(), 1u);
  EXPECT_FALSE(std::filesystem::exists(home_ + "/talaria"));
}

TEST_F(RunnerChoiceTest, AHomeThatCannotBeWrittenHasOne) {
  EXPECT_EQ(RunnerChoice("/proc/no-home", 5).count(), 1u);
}

TEST_F(RunnerChoiceTest, AFileThatIsNotANumberCountsAsOne) {
  std::filesystem::create_directories(run());
  for (const char* text : {"", "many", "0", "-3", "1000000", "4 4"}) {
    std::ofstream(run() + "/runners") << text;
    EXPECT_EQ(RunnerChoice(home_, 5).count(), 1u) << text;
  }
}

TEST_F(RunnerChoiceTest, TasksAreSpreadByNameAndStayWhereTheyAre) {
  const RunnerChoice choice(home_, 4);
  std::set<std::size_t> used;
  for (int i = 0; i < 64; ++i) {
    const std::string task = "task-" + std::to_string(i);
    const std::size_t runner = choice.runner_of(task);
    EXPECT_LT(runner, 4u);
    EXPECT_EQ(choice.runner_of(choice.shared_environment(task)), runner) << task;
    EXPECT_TRUE(is_shared_environment(choice.shared_environment(task)));
    used.insert(runner);
  }
  EXPECT_EQ(used.size(), 4u);
}

TEST_F(RunnerChoiceTest, TheDefaultTaskIsAtTheFirst) {
  const RunnerChoice choice(home_, 4);
  EXPECT_EQ(choice.runner_of("default"), 0u);
  EXPECT_EQ(choice.shared_environment("default"), "default");
}

TEST_F(RunnerChoiceTest, OneRunnerServesEverything) {
  const RunnerChoice choice(home_, 1);
  for (const char* task : {"default", "a", "default:3", ""}) {
    EXPECT_EQ(choice.runner_of(task), 0u);
    EXPECT_EQ(choice.shared_environment(task), "default");
  }
}

TEST_F(RunnerChoiceTest, NamesOfTasksAreNotMistakenForTheSharedEnvironment) {
  EXPECT_TRUE(is_shared_environment("default"));
  EXPECT_TRUE(is_shared_environment("default:2"));
  for (const char* id : {"", "defaults", "default:", "default:x", "default:1x", "default-1", "t"}) {
    EXPECT_FALSE(is_shared_environment(id)) << id;
  }
}

}  // namespace
}  // namespace talaria::host
