#include "os/file_lock.h"

#include <unistd.h>

#include <filesystem>

#include <gtest/gtest.h>

#include "os/directory.h"
#include "os/file.h"

namespace talaria::os {
namespace {

class FileLockTest : public testing::Test {
 protected:
  FileLockTest()
      : directory_(*make_fresh_directory("/tmp/talaria-test-")), path_(directory_ + "/lock") {}
  ~FileLockTest() override { std::filesystem::remove_all(directory_); }

  std::string directory_;
  std::string path_;
};

TEST_F(FileLockTest, OneHasItAndIsNamed) {
  EXPECT_FALSE(is_locked(path_));
  {
    const auto first = try_lock_file(path_);
    ASSERT_TRUE(first && *first);
    const auto second = try_lock_file(path_);
    ASSERT_TRUE(second);
    EXPECT_FALSE(*second);
    EXPECT_TRUE(is_locked(path_));
    EXPECT_EQ(describe_lock(path_), "pid " + std::to_string(::getpid()));
  }
  EXPECT_FALSE(is_locked(path_));
  const auto third = try_lock_file(path_);
  EXPECT_TRUE(third && *third);
}

TEST_F(FileLockTest, OneWhoseFileIsRemovedKeepsNobodyOut) {
  const auto first = try_lock_file(path_);
  ASSERT_TRUE(first && *first);
  EXPECT_TRUE(is_file_at((*first)->get(), path_));
  std::filesystem::remove(path_);
  EXPECT_FALSE(is_file_at((*first)->get(), path_));
  const auto second = try_lock_file(path_);
  ASSERT_TRUE(second && *second);
  EXPECT_FALSE(is_file_at((*first)->get(), path_));
}

TEST_F(FileLockTest, AFileThatSaysNothingIsSaidSo) {
  EXPECT_EQ(describe_lock(path_), "pid unknown");
}

}  // namespace
}  // namespace talaria::os
