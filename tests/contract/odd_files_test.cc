// What the file tools do with what is no ordinary text file at an ordinary place.
#include <sys/mount.h>
#include <sys/stat.h>

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/file_tool_test.h"
#include "support/unix_socket.h"

namespace talaria::test {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

using OddFilesTest = FileToolTest;

TEST_F(OddFilesTest, AnyNameIsAName) {
  const std::vector<std::string> odd{"new\nline", "-rf", " lead", "trail ", "$HOME",
                                     "it's",      "*",   "~x",    "\\",     std::string(255, 'a'),
                                     "%s",        "a:b"};
  for (const std::string& name : odd) {
    SCOPED_TRACE(name);
    EXPECT_FALSE(write(name, "one\n").contains("error"));
    EXPECT_EQ(text(read(name), "content"), "1|one");
    EXPECT_TRUE(flag(replace(name, "one", "two"), "success"));
    EXPECT_EQ(on_disk(name), "two\n");
  }
  EXPECT_EQ(names().size(), odd.size());
  EXPECT_THAT(text(write(std::string(256, 'a'), "x"), "error"), HasSubstr("File name too long"));
  EXPECT_THAT(text(read(std::string("a\0b", 3)), "error"), HasSubstr("NUL"));
  EXPECT_EQ(names().size(), odd.size());
}

// Bytes that are no UTF-8 cannot be said in JSON; what has such a name is shown, and stops nothing.
TEST_F(OddFilesTest, ANameThatIsNoTextIsShownAsWellAsItCanBe) {
  put("caf\xE9", "needle\n");
  const json::object found = search({{"pattern", "needle"}});
  EXPECT_EQ(found.at("matches").at(0).at("path"), "./caf\xEF\xBF\xBD");
}

TEST_F(OddFilesTest, WhatIsNoFileIsNeitherReadNorWritten) {
  agent();
  ASSERT_EQ(::mkfifo(at("pipe").c_str(), 0600), 0);
  const os::UniqueFd socket = listen_at(at("socket"));
  fs::create_symlink("pipe", at("link"));
  fs::create_symlink("loop", at("loop"));
  const std::vector<std::string> before = names();
  for (const char* name : {"pipe", "socket", "link", "loop", "/dev/null"}) {
    SCOPED_TRACE(name);
    if (name[0] != '/') EXPECT_NE(text(read(name), "error"), "");
    EXPECT_NE(text(write(name, "x"), "error"), "");
    EXPECT_NE(text(replace(name, "a", "b"), "error"), "");
    EXPECT_NE(text(apply("*** Delete File: " + std::string(name) + "\n"), "error"), "");
  }
  EXPECT_THAT(text(search({{"pattern", "x"}, {"path", "pipe"}}), "error"),
              HasSubstr("neither a directory nor a file"));
  EXPECT_EQ(names(), before);
}

TEST_F(OddFilesTest, PathsMeanWhatTheyMeanToAShell) {
  world_.directory("other/d");
  fs::create_symlink(world_.path("other/d"), world_.directory("work") + "/link");
  put("x", "here\n");
  put("../other/x", "there\n");
  EXPECT_EQ(text(read("link/../x"), "content"), "1|there");
  agent().run("cd link");
  EXPECT_EQ(text(read({{"path", "../x"}, {"limit", 9}}), "content"), "1|there");
  EXPECT_EQ(text(write("../x", "changed\n"), "resolved_path"), world_.path("other/x"));
  EXPECT_EQ(on_disk("x"), "here\n");
}

TEST_F(OddFilesTest, ADirectoryThatIsGoneIsNotWrittenInto) {
  put("x", "here\n");
  agent().run("mkdir gone && cd gone && rmdir ../gone");
  EXPECT_EQ(text(read("x"), "content"), "1|here");  // the session goes on where it can
}

class FullDiskTest : public FileToolTest {
 protected:
  void SetUp() override {
    const std::string small = world_.directory("work/small");
    if (::mount("tmpfs", small.c_str(), "tmpfs", 0, "size=64k") != 0) {
      GTEST_SKIP() << "only root mounts";
    }
    mounted_ = small;
  }
  void TearDown() override {
    if (!mounted_.empty()) ::umount2(mounted_.c_str(), MNT_DETACH);
    FileToolTest::TearDown();
  }
  std::string mounted_;
};

TEST_F(FullDiskTest, WhatWasThereStaysAndNothingIsLeftBeside) {
  put("small/a", "old\n");
  put("x", "here\n");
  const std::string large(200'000, 'z');
  EXPECT_THAT(text(write("small/a", large), "error"), HasSubstr("No space left"));
  EXPECT_THAT(text(write("small/new/b", large), "error"), HasSubstr("No space left"));
  EXPECT_THAT(text(replace("small/a", "old", large), "error"), HasSubstr("No space left"));
  EXPECT_THAT(
      text(apply("*** Update File: x\n-here\n+gone\n*** Add File: small/b\n+" + large + "\n"),
           "error"),
      HasSubstr("no files were modified"));
  EXPECT_EQ(on_disk("small/a"), "old\n");
  EXPECT_EQ(on_disk("x"), "here\n");
  EXPECT_THAT(names("small"), ElementsAre("a"));
}

TEST_F(FullDiskTest, AChangeThatIsRefusedTakesTheOthersBack) {
  put("small/a", "old\n");
  put("x", "here\n");
  ASSERT_EQ(::mount("tmpfs", mounted_.c_str(), "tmpfs", MS_REMOUNT | MS_RDONLY, "size=64k"), 0);
  EXPECT_THAT(text(write("small/a", "new"), "error"), HasSubstr("Read-only file system"));
  const json::object result =
      apply("*** Update File: x\n-here\n+gone\n*** Add File: y\n+y\n*** Delete File: small/a\n");
  EXPECT_THAT(text(result, "error"), HasSubstr("everything was taken back"));
  EXPECT_EQ(on_disk("x"), "here\n");
  EXPECT_THAT(names(), ElementsAre("small", "x"));
}

}  // namespace
}  // namespace talaria::test
