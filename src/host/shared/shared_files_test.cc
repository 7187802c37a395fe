#include "host/shared/shared_files.h"

#include <sys/stat.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/temporary_directory.h"

namespace talaria::host {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class SharedFilesTest : public testing::Test {
 protected:
  std::string home() const { return root_.path("home"); }
  SharedFiles shared(std::vector<std::string> credentials = {}) {
    return SharedFiles({.home = home(),
                        .credential_files = std::move(credentials),
                        .skill_directories = {root_.path("mine"), root_.path("missing")}});
  }
  std::vector<std::string> paths(const SharedFiles& files) {
    std::vector<std::string> found;
    for (const auto& [path, file] : files.files().files) found.push_back(path);
    return found;
  }

  test::TemporaryDirectory root_;
};

TEST_F(SharedFilesTest, NothingThereIsNothingShared) {
  fs::create_directories(home());
  EXPECT_THAT(shared().mounts().paths, IsEmpty());
  EXPECT_THAT(shared().mounts().notices, IsEmpty());
  EXPECT_THAT(shared().files().files, IsEmpty());
  EXPECT_FALSE(fs::exists(home() + "/talaria"));
}

TEST_F(SharedFilesTest, OneListIsBoundOrCopied) {
  root_.write("home/token.json", "t");
  root_.write("home/skills/a/SKILL.md", "s");
  root_.write("home/cache/images/1.png", "i");
  root_.write("home/document_cache/d.pdf", "older");
  root_.write("home/cache/documents/e.pdf", "newer, but the older directory is there");
  root_.write("home/secret.env", "not shared");
  root_.write("mine/b/SKILL.md", "s");
  SharedFiles files = shared({"token.json"});
  EXPECT_THAT(
      files.mounts().paths,
      ElementsAre(
          environment::BoundPath{home() + "/token.json", "/root/.hermes/token.json"},
          environment::BoundPath{home() + "/skills", "/root/.hermes/skills"},
          environment::BoundPath{root_.path("mine"), "/root/.hermes/external_skills/0"},
          environment::BoundPath{home() + "/document_cache", "/root/.hermes/cache/documents"},
          environment::BoundPath{home() + "/cache/images", "/root/.hermes/cache/images"}));
  EXPECT_THAT(files.mounts({.base = "/b", .caches = false}).paths,
              ElementsAre(environment::BoundPath{home() + "/token.json", "/b/token.json"},
                          environment::BoundPath{home() + "/skills", "/b/skills"},
                          environment::BoundPath{root_.path("mine"), "/b/external_skills/0"}));
  EXPECT_THAT(paths(files),
              ElementsAre("cache/documents/d.pdf", "cache/images/1.png",
                          "external_skills/0/b/SKILL.md", "skills/a/SKILL.md", "token.json"));
  EXPECT_TRUE(files.files().files.at("token.json").secret);
}

TEST_F(SharedFilesTest, SharesAListAndNamesWhatItRefuses) {
  root_.write("home/a", "a");
  root_.write("home/b", "b");
  root_.write("home/c", "c");
  SharedFiles files = shared();
  const auto refused =
      files.share(json::array{"a", json::object{{"path", "b"}}, json::object{{"name", "c"}}, "gone",
                              "../x", json::object{{"file", "a"}}, 7});
  std::vector<std::string> names;
  for (const RefusedFile& one : refused) {
    names.push_back(one.path);
    EXPECT_NE(one.reason, "");
  }
  EXPECT_THAT(names, ElementsAre("gone", "../x", "", ""));
  EXPECT_THAT(paths(files), ElementsAre("a", "b", "c"));
}

TEST_F(SharedFilesTest, ACredentialThatIsNoFileIsLeftOutWithANotice) {
  root_.write("home/dir/x", "x");
  const Mounts mounts = shared({"dir", "gone"}).mounts();
  EXPECT_THAT(mounts.paths, IsEmpty());
  EXPECT_THAT(mounts.notices,
              ElementsAre(HasSubstr("'dir' is a directory"), HasSubstr("'gone' does not exist")));
}

TEST_F(SharedFilesTest, ContainersGetACopyOfSkillsWithoutLinks) {
  root_.write("outside/key", "secret");
  root_.write("home/skills/a/SKILL.md", "one");
  fs::permissions(root_.write("home/skills/a/run.sh", "#!/bin/sh\n"), fs::perms::owner_all);
  fs::create_symlink(root_.path("outside/key"), home() + "/skills/a/key");
  fs::create_directory_symlink(root_.path("outside"), home() + "/skills/out");
  root_.write("home/skills/was-a-directory/x", "x");
  ::mkfifo((home() + "/skills/pipe").c_str(), 0600);

  ::chmod((home() + "/skills").c_str(), 0775);
  const Mounts mounts = shared().mounts();
  ASSERT_EQ(mounts.paths.size(), 1u);
  const std::string copy = mounts.paths[0].host;
  EXPECT_EQ(mounts.paths[0].container, "/root/.hermes/skills");
  EXPECT_TRUE(copy.starts_with(home() + "/talaria/shared/")) << copy;
  const auto names = [&] {
    std::vector<std::string> found;
    for (const auto& entry : fs::recursive_directory_iterator(copy)) {
      found.push_back(entry.path().lexically_relative(copy));
    }
    std::ranges::sort(found);
    return found;
  };
  EXPECT_THAT(names(),
              ElementsAre("a", "a/SKILL.md", "a/run.sh", "was-a-directory", "was-a-directory/x"));
  EXPECT_EQ(fs::status(copy + "/a/run.sh").permissions() & fs::perms::all, fs::perms::owner_all);
  EXPECT_EQ(fs::last_write_time(copy + "/a/SKILL.md"),
            fs::last_write_time(home() + "/skills/a/SKILL.md"));
  EXPECT_THAT(paths(shared()),
              ElementsAre("skills/a/SKILL.md", "skills/a/run.sh", "skills/was-a-directory/x"));

  // The next time it is the same directory, brought up to date; a container has it bound.
  struct stat before{};
  ASSERT_EQ(::stat(copy.c_str(), &before), 0);
  EXPECT_EQ(before.st_mode & 0777, 0755u) << "as the source: a container may run as anybody";
  root_.write("home/skills/a/SKILL.md", "one more");
  fs::remove(home() + "/skills/a/run.sh");
  fs::remove_all(home() + "/skills/was-a-directory");
  root_.write("home/skills/was-a-directory", "f");
  root_.write("home/skills/b/deep/new", "n");
  root_.write("home/skills/a/run.sh/now-a-directory", "d");
  root_.write("home/talaria/shared/" + fs::path(copy).filename().string() + "/stray/x", "stray");
  ASSERT_EQ(shared().mounts().paths[0].host, copy);
  EXPECT_THAT(names(), ElementsAre("a", "a/SKILL.md", "a/run.sh", "a/run.sh/now-a-directory", "b",
                                   "b/deep", "b/deep/new", "was-a-directory"));
  EXPECT_EQ(root_.read("home/talaria/shared/" + fs::path(copy).filename().string() + "/a/SKILL.md"),
            "one more");
  struct stat after{};
  ASSERT_EQ(::stat(copy.c_str(), &after), 0);
  EXPECT_EQ(before.st_ino, after.st_ino);
}

TEST_F(SharedFilesTest, LinksGoneAreNoReasonForACopy) {
  root_.write("home/skills/a", "a");
  fs::create_symlink("a", home() + "/skills/b");
  EXPECT_NE(shared().mounts().paths.at(0).host, home() + "/skills");
  fs::remove(home() + "/skills/b");
  EXPECT_EQ(shared().mounts().paths.at(0).host, home() + "/skills");
}

}  // namespace
}  // namespace talaria::host
