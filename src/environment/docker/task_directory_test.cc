#include "environment/docker/task_directory.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "testing/temporary_directory.h"

namespace talaria::environment::docker {
namespace {

namespace fs = std::filesystem;

class TaskDirectoryTest : public testing::Test {
 protected:
  TaskDirectoryTest() {
    fs::create_directories(pool_ + "/home/.talaria/run-pool-1");
    std::ofstream(pool_ + "/home/file") << "kept";
  }
  bool has_file(const std::string& directory) { return fs::exists(directory + "/home/file"); }

  test::TemporaryDirectory temporary_;
  const std::string pool_ = temporary_.path("pool@docker-hermes-1");
  const std::string task_ = temporary_.path("task");
};

TEST_F(TaskDirectoryTest, TheTaskGetsItAndTheOldPathStillLeadsThere) {
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(hand_over_directory(pool_, task_));
    EXPECT_FALSE(fs::is_symlink(task_));
    EXPECT_EQ(fs::read_symlink(pool_), "task");
    EXPECT_TRUE(has_file(task_) && has_file(pool_));
  }
}

TEST_F(TaskDirectoryTest, AProgramThatWasKilledMeanwhileIsContinued) {
  fs::rename(pool_, task_);
  ASSERT_TRUE(hand_over_directory(pool_, task_));
  EXPECT_TRUE(has_file(task_) && has_file(pool_));
}

TEST_F(TaskDirectoryTest, WhatTheTaskHasStays) {
  fs::create_directory(task_);
  EXPECT_FALSE(hand_over_directory(pool_, task_));
  fs::remove(task_);
  fs::create_directory(temporary_.path("elsewhere"));
  fs::create_symlink("elsewhere", task_);
  EXPECT_FALSE(hand_over_directory(pool_, task_));
  EXPECT_EQ(fs::read_symlink(task_), "elsewhere");
  EXPECT_TRUE(has_file(pool_));
}

TEST_F(TaskDirectoryTest, TheRunnerGetsItsNameToo) {
  ASSERT_TRUE(hand_over_runner(pool_ + "/home", "run-pool-1", "run-a-b"));
  EXPECT_TRUE(fs::is_directory(pool_ + "/home/.talaria/run-a-b"));
  EXPECT_TRUE(fs::is_symlink(pool_ + "/home/.talaria/run-pool-1"));
}

TEST_F(TaskDirectoryTest, NoLinkOfTheContainerIsFollowed) {
  fs::create_directories(temporary_.path("outside/run-pool-1"));
  fs::remove_all(pool_ + "/home/.talaria");
  fs::create_symlink(temporary_.path("outside"), pool_ + "/home/.talaria");
  EXPECT_FALSE(hand_over_runner(pool_ + "/home", "run-pool-1", "run-a-b"));
  EXPECT_FALSE(fs::exists(temporary_.path("outside/run-a-b")));
}

TEST_F(TaskDirectoryTest, RemovedIsOnlyWhatNoTaskHas) {
  ASSERT_TRUE(hand_over_directory(pool_, task_));
  remove_pool_directory(pool_);
  EXPECT_TRUE(has_file(task_));
  EXPECT_FALSE(fs::is_symlink(pool_));
}

}  // namespace
}  // namespace talaria::environment::docker
