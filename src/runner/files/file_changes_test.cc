#include "runner/files/file_changes.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>

#include <cstddef>
#include <filesystem>
#include <thread>

#include <boost/asio/io_context.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/sha256.h"
#include "testing/temporary_directory.h"

namespace talaria::runner {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

// As on a filesystem that knows no second names, such as vfat; of this thread only, and for good.
bool refuse_links() {
  sock_filter rules[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_linkat, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program{.len = std::size(rules), .filter = rules};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

class FileChangesTest : public testing::Test {
 protected:
  link::ChangedFile with_content(link::ChangeKind kind, const std::string& name,
                                 const std::string& content) {
    const std::string upload = "u" + std::to_string(++number_);
    const auto staged = uploads_.write(root_.path(), {.path = root_.path(name),
                                                      .upload = upload,
                                                      .data = content,
                                                      .size = content.size(),
                                                      .parents = 0755});
    EXPECT_TRUE(staged) << staged.error().message();
    return {.kind = kind, .path = root_.path(name), .upload = upload, .size = content.size()};
  }
  link::ChangedFile create(const std::string& name, const std::string& content) {
    return with_content(link::ChangeKind::create, name, content);
  }
  link::ChangedFile modify(const std::string& name, const std::string& content) {
    link::ChangedFile file = with_content(link::ChangeKind::modify, name, content);
    file.expected = sha256_hex(root_.read(name));
    return file;
  }
  link::ChangedFile remove(const std::string& name) {
    return {.kind = link::ChangeKind::remove,
            .path = root_.path(name),
            .expected = sha256_hex(root_.read(name))};
  }
  link::ChangedFile move(const std::string& from, const std::string& to) {
    return {.kind = link::ChangeKind::move,
            .path = root_.path(to),
            .from = root_.path(from),
            .expected = sha256_hex(root_.read(from))};
  }
  std::string apply(std::vector<link::ChangedFile> files) {
    const link::ChangeFiles changes{.id = "c" + std::to_string(++number_),
                                    .files = std::move(files)};
    const auto report = changes_.apply(root_.path(), uploads_, changes);
    return report ? "done" : report.error().message();
  }
  std::string apply_without_links(std::vector<link::ChangedFile> files) {
    std::string done;
    std::thread([&] {
      ASSERT_TRUE(refuse_links());
      done = apply(std::move(files));
    }).join();
    return done;
  }
  std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const auto& entry : fs::recursive_directory_iterator(root_.path())) {
      found.push_back(fs::relative(entry.path(), root_.path()));
    }
    std::ranges::sort(found);
    return found;
  }

  test::TemporaryDirectory root_;
  asio::io_context loop_{1};
  Uploads uploads_{loop_.get_executor()};
  FileChanges changes_;
  int number_ = 0;
};

TEST_F(FileChangesTest, AllKindsAtOnce) {
  fs::permissions(root_.write("m", "old"), fs::perms(0640));
  root_.write("gone", "x");
  root_.write("from", "moved");
  EXPECT_EQ(apply({modify("m", "new"), remove("gone"), move("from", "deep/er/to"),
                   create("made/c", "created")}),
            "done");
  EXPECT_EQ(root_.read("m"), "new");
  EXPECT_EQ(fs::status(root_.path("m")).permissions(), fs::perms(0640));
  EXPECT_EQ(root_.read("deep/er/to"), "moved");
  EXPECT_EQ(root_.read("made/c"), "created");
  EXPECT_THAT(names(),
              testing::ElementsAre("deep", "deep/er", "deep/er/to", "m", "made", "made/c"));
}

TEST_F(FileChangesTest, FilesMayTradePlaces) {
  root_.write("a", "was a");
  root_.write("b", "was b");
  EXPECT_EQ(apply({move("a", "b"), move("b", "a")}), "done");
  EXPECT_EQ(root_.read("a"), "was b");
  EXPECT_EQ(root_.read("b"), "was a");
  EXPECT_EQ(names().size(), 2u);
}

TEST_F(FileChangesTest, AFileMovesToWhereAnotherIsRemoved) {
  root_.write("a", "was a");
  root_.write("b", "was b");
  EXPECT_EQ(apply({remove("b"), move("a", "b")}), "done");
  EXPECT_EQ(root_.read("b"), "was a");
  EXPECT_THAT(names(), testing::ElementsAre("b"));
}

TEST_F(FileChangesTest, FilesTradePlacesWithoutSecondNames) {
  root_.write("a", "was a");
  root_.write("b", "was b");
  root_.write("c", "was c");
  EXPECT_EQ(apply_without_links({move("a", "b"), move("b", "a"), remove("c")}), "done");
  EXPECT_EQ(root_.read("a"), "was b");
  EXPECT_EQ(root_.read("b"), "was a");
  EXPECT_EQ(names().size(), 2u);
}

// Taken back one by one, "b" went back over the only copy of "a".
TEST_F(FileChangesTest, WhatMovedWithoutSecondNamesIsTakenBackWhole) {
  root_.write("a", "was a");
  root_.write("b", "was b");
  root_.write("d", "was d");
  fs::create_directory(root_.path("taken"));
  EXPECT_THAT(apply_without_links({move("b", "c"), move("a", "b"), move("d", "taken")}),
              HasSubstr("File exists"));
  EXPECT_EQ(root_.read("a"), "was a");
  EXPECT_EQ(root_.read("b"), "was b");
  EXPECT_EQ(root_.read("d"), "was d");
  EXPECT_THAT(names(), testing::ElementsAre("a", "b", "d", "taken"));
}

TEST_F(FileChangesTest, AMoveWithoutSecondNamesGoesOverNothing) {
  root_.write("a", "was a");
  root_.write("taken", "by somebody else");
  EXPECT_THAT(apply_without_links({move("a", "taken")}), HasSubstr("File exists"));
  EXPECT_EQ(root_.read("a"), "was a");
  EXPECT_EQ(root_.read("taken"), "by somebody else");
}

// The last one fails when the others are in place: a file is where it has to go.
TEST_F(FileChangesTest, WhatWasMadeIsTakenBackWhenALaterOneFails) {
  root_.write("m", "old");
  root_.write("gone", "still here");
  root_.write("from", "not moved");
  const ino_t inode = [&] {
    struct stat info{};
    ::stat(root_.path("m").c_str(), &info);
    return info.st_ino;
  }();
  std::vector<link::ChangedFile> files{modify("m", "new"), remove("gone"), move("from", "d/to"),
                                       create("n/c", "created"), create("taken", "x")};
  root_.write("taken", "by somebody else");
  EXPECT_THAT(apply(std::move(files)), HasSubstr("File exists"));
  EXPECT_EQ(root_.read("m"), "old");
  EXPECT_EQ(root_.read("gone"), "still here");
  EXPECT_EQ(root_.read("from"), "not moved");
  EXPECT_EQ(root_.read("taken"), "by somebody else");
  EXPECT_THAT(names(), testing::ElementsAre("from", "gone", "m", "taken"));
  struct stat info{};
  ::stat(root_.path("m").c_str(), &info);
  EXPECT_EQ(info.st_ino, inode);
}

TEST_F(FileChangesTest, NothingIsBegunIfOneIsNotWhatItWas) {
  root_.write("a", "1");
  root_.write("b", "2");
  std::vector<link::ChangedFile> files{modify("a", "new"), modify("b", "new")};
  root_.write("b", "changed");
  EXPECT_THAT(apply(std::move(files)), HasSubstr("the file has changed"));
  EXPECT_EQ(root_.read("a"), "1");
  EXPECT_EQ(names().size(), 2u);
}

TEST_F(FileChangesTest, ALinkIsWrittenThroughAndRemovedItself) {
  root_.write("real", "old");
  fs::create_symlink("real", root_.path("link"));
  EXPECT_EQ(apply({modify("link", "new")}), "done");
  EXPECT_TRUE(fs::is_symlink(root_.path("link")));
  EXPECT_EQ(root_.read("real"), "new");
  EXPECT_EQ(apply({remove("link")}), "done");
  EXPECT_EQ(root_.read("real"), "new");
  EXPECT_FALSE(fs::is_symlink(root_.path("link")));
}

TEST_F(FileChangesTest, AttributesStay) {
  const std::string path = root_.write("f", "old");
  ASSERT_EQ(::setxattr(path.c_str(), "user.note", "mine", 4, 0), 0) << "no attributes here";
  EXPECT_EQ(apply({modify("f", "new")}), "done");
  char value[8] = {};
  EXPECT_EQ(::getxattr(path.c_str(), "user.note", value, sizeof value), 4);
  EXPECT_STREQ(value, "mine");
}

TEST_F(FileChangesTest, SentTwiceItIsDoneOnce) {
  const link::ChangeFiles changes{.id = "once", .files = {create("c", "x")}};
  ASSERT_TRUE(changes_.apply(root_.path(), uploads_, changes));
  ASSERT_TRUE(changes_.apply(root_.path(), uploads_, changes));
  EXPECT_FALSE(changes_.apply(root_.path(), uploads_, {.id = "other", .files = changes.files}));
}

}  // namespace
}  // namespace talaria::runner
