#include "os/tree_walk.h"

#include <sys/stat.h>

#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/temporary_directory.h"

namespace talaria::os {
namespace {

using testing::ElementsAre;

class TreeWalkTest : public testing::Test {
 protected:
  void add(const std::string& path) { root_.write(path, "x"); }

  std::vector<std::string> paths(const std::string& after = {}) {
    std::vector<std::string> found;
    auto walk = TreeWalk::below(root_.path(), after);
    if (!walk) return {walk.error().message()};
    while (const auto entry = walk->next()) found.push_back(entry->path);
    return found;
  }

  test::TemporaryDirectory root_;
};

TEST_F(TreeWalkTest, ShowsParentsFirstAndNamesInOrder) {
  for (const char* path : {"b/2", "b/1/x", "a", "c", "b.txt", "b/1.txt"}) add(path);
  EXPECT_THAT(paths(), ElementsAre("a", "b", "b/1", "b/1/x", "b/1.txt", "b/2", "b.txt", "c"));
}

TEST_F(TreeWalkTest, GoesOnBehindAnyPathThatWasShown) {
  for (const char* path : {"b/2", "b/1/x", "a", "c", "b.txt", "b/1.txt"}) add(path);
  const std::vector<std::string> all = paths();
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(paths(all[i]),
              std::vector<std::string>(all.begin() + static_cast<long>(i) + 1, all.end()))
        << all[i];
  }
  EXPECT_THAT(paths("b/11"), ElementsAre("b/2", "b.txt", "c"));  // is not there any more
  EXPECT_THAT(paths("b/1/x/y"), ElementsAre("b/1.txt", "b/2", "b.txt", "c"));
  EXPECT_THAT(paths("zzz"), ElementsAre());
}

TEST_F(TreeWalkTest, ShowsLinksAndFollowsNone) {
  test::TemporaryDirectory outside;
  outside.write("secret", "s");
  add("a/file");
  std::filesystem::create_directory_symlink(outside.path(), root_.path() + "/a/out");
  std::filesystem::create_symlink(outside.path() + "/secret", root_.path() + "/a/secret");
  ::mkfifo((root_.path() + "/a/pipe").c_str(), 0600);
  auto walk = TreeWalk::below(root_.path());
  ASSERT_TRUE(walk);
  std::vector<std::pair<std::string, FileKind>> found;
  while (const auto entry = walk->next()) found.emplace_back(entry->path, entry->facts.kind);
  EXPECT_THAT(found,
              ElementsAre(std::pair("a", FileKind::directory), std::pair("a/file", FileKind::file),
                          std::pair("a/out", FileKind::link), std::pair("a/pipe", FileKind::other),
                          std::pair("a/secret", FileKind::link)));
  EXPECT_THAT(paths("a/out/x"), ElementsAre("a/pipe", "a/secret"));
}

TEST_F(TreeWalkTest, PassesOverWhatLiesTooDeep) {
  std::string path = "d";
  for (int i = 0; i < 200; ++i) path += "/d";
  std::filesystem::create_directories(root_.path() + "/" + path);
  auto walk = TreeWalk::below(root_.path());
  ASSERT_TRUE(walk);
  std::size_t count = 0;
  while (walk->next()) ++count;
  EXPECT_EQ(count, 128u);
  EXPECT_EQ(walk->passed_over(), 1u);
}

TEST_F(TreeWalkTest, SaysWhyThereIsNoWalk) {
  add("file");
  EXPECT_FALSE(TreeWalk::below(root_.path() + "/file"));
  const auto none = TreeWalk::below(root_.path() + "/none");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code(), ENOENT);
}

}  // namespace
}  // namespace talaria::os
