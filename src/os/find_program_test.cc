#include "os/find_program.h"

#include <sys/stat.h>

#include <filesystem>

#include <gtest/gtest.h>

#include "os/directory.h"
#include "os/file.h"

namespace talaria::os {
namespace {

class FindProgramTest : public testing::Test {
 protected:
  ~FindProgramTest() override { std::filesystem::remove_all(directory_); }

  std::string make(const std::string& name, mode_t mode) {
    const std::string path = directory_ + "/" + name;
    EXPECT_TRUE(make_private_directory(std::filesystem::path(path).parent_path()));
    EXPECT_TRUE(replace_file(path, "#!/bin/sh\n"));
    EXPECT_EQ(::chmod(path.c_str(), mode), 0);
    return path;
  }

  std::string directory_ = *make_fresh_directory("/tmp/talaria-test-");
};

TEST_F(FindProgramTest, TheFirstThatMayRunIsTaken) {
  make("a/tool", 0600);  // may not
  std::filesystem::create_directories(directory_ + "/b/tool");
  const std::string third = make("c/tool", 0700);
  make("d/tool", 0700);
  const std::string path =
      directory_ + "/a:" + directory_ + "/b:" + directory_ + "/c/:" + directory_ + "/d";
  EXPECT_EQ(find_program("tool", path), third);
  EXPECT_EQ(find_program("other", path), std::nullopt);
  EXPECT_EQ(find_program("tool", ""), std::nullopt);
}

TEST_F(FindProgramTest, OurOwnPathHasAShell) {
  const auto shell = find_program("sh");
  ASSERT_TRUE(shell);
  EXPECT_TRUE(shell->ends_with("/sh")) << *shell;
}

}  // namespace
}  // namespace talaria::os
