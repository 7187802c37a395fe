#include "rendezvous/inherit_directory.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "os/file_lock.h"
#include "testing/temporary_directory.h"

namespace talaria::rendezvous {
namespace {

namespace fs = std::filesystem;

class TakeOverTest : public testing::Test {
 protected:
  RunnerPlace directory(const std::string& name) {
    fs::create_directory(parent_ + "/" + name);
    std::ofstream(parent_ + "/" + name + "/of") << name;
    return {parent_ + "/" + name};
  }
  std::string content(const std::string& name) const {
    std::ifstream file(parent_ + "/" + name + "/of");
    std::string text;
    file >> text;
    return text;
  }

  test::TemporaryDirectory temporary_;
  const std::string parent_ = temporary_.path();
};

TEST_F(TakeOverTest, GoesOnWithTheDirectoryOfTheSameTask) {
  directory("run-task1-old");
  directory("run-task2-old");
  inherit_directory({parent_ + "/run-task1-new"});
  EXPECT_EQ(content("run-task1-new"), "run-task1-old");
  EXPECT_FALSE(fs::exists(parent_ + "/run-task1-old"));
  EXPECT_TRUE(fs::exists(parent_ + "/run-task2-old"));
}

TEST_F(TakeOverTest, LeavesTheDirectoryOfALivingRunnerAlone) {
  const RunnerPlace living = directory("run-task1-old");
  const auto lock = os::try_lock_file(living.lock());
  ASSERT_TRUE(lock && *lock);
  inherit_directory({parent_ + "/run-task1-new"});
  EXPECT_FALSE(fs::exists(parent_ + "/run-task1-new"));
}

TEST_F(TakeOverTest, NeverReplacesOneThatIsThere) {
  directory("run-task1-old");
  directory("run-task1-new");
  inherit_directory({parent_ + "/run-task1-new"});
  EXPECT_EQ(content("run-task1-new"), "run-task1-new");
}

TEST_F(TakeOverTest, AnOrdinaryDirectoryTakesOverNothing) {
  directory("run-old");
  inherit_directory({parent_ + "/run"});
  inherit_directory({parent_ + "/run-new"});
  EXPECT_TRUE(fs::exists(parent_ + "/run-old"));
}

}  // namespace
}  // namespace talaria::rendezvous
