#include "os/below.h"

#include <sys/stat.h>

#include <gtest/gtest.h>

#include "os/file.h"
#include "testing/temporary_directory.h"

namespace talaria::os {
namespace {

TEST(Below, KnowsPathsThatMeanAnotherPlace) {
  for (const char* path : {"a", "a/b", "...", "a/..b", "-", " "}) EXPECT_TRUE(is_path_below(path));
  for (const char* path :
       {"", "/", "/a", "a/", "a//b", ".", "..", "a/..", "a/../b", "./a", "../a"}) {
    EXPECT_FALSE(is_path_below(path)) << path;
  }
  EXPECT_FALSE(is_path_below(std::string_view("a\0b", 3)));
}

TEST(Below, FollowsNoLinkBehindTheRoot) {
  test::TemporaryDirectory root;
  root.write("outside/file", "secret");
  root.write("tree/a/file", "fine");
  std::filesystem::create_directory_symlink("../outside", root.path("tree/out"));
  std::filesystem::create_symlink("../outside/file", root.path("tree/link"));
  std::filesystem::create_directory_symlink("tree", root.path("root"));
  EXPECT_TRUE(open_file_below(root.path("root"), "a/file"));  // the root may be one
  EXPECT_FALSE(open_file_below(root.path("root"), "link"));
  const auto out = open_file_below(root.path("root"), "out/file");
  ASSERT_FALSE(out);
  EXPECT_EQ(out.error().kind(), ErrorKind::denied);
  EXPECT_NE(out.error().message().find("'out' is not a plain directory"), std::string::npos);
  EXPECT_FALSE(find_below(root.path("root"), "out/new/file", 0700));
  EXPECT_FALSE(std::filesystem::exists(root.path("outside/new")));
}

TEST(Below, MakesWhatIsMissing) {
  test::TemporaryDirectory root;
  EXPECT_EQ(find_below(root.path(), "a/b/c").error().code(), ENOENT);
  const auto place = find_below(root.path(), "a/b/c", 0700);
  ASSERT_TRUE(place);
  EXPECT_EQ(place->name, "c");
  EXPECT_TRUE(std::filesystem::is_directory(root.path("a/b")));
  EXPECT_FALSE(std::filesystem::exists(root.path("a/b/c")));
}

TEST(Below, OpensRegularFilesOnly) {
  test::TemporaryDirectory root;
  ::mkfifo(root.path("pipe").c_str(), 0600);
  EXPECT_FALSE(open_file_below(root.path(), "pipe"));  // and does not wait
}

}  // namespace
}  // namespace talaria::os
