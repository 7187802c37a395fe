// Files at a target: on this machine, over one ssh channel and over batches, by the same code.
#include <sys/stat.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <thread>

#include <boost/asio/io_context.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/sha256.h"
#include "environment/carrier/carrier_environment.h"
#include "environment/local/local_environment.h"
#include "files/content.h"
#include "support/talaria_test.h"
#include "testing/loop_gaps.h"
#include "testing/run_to_end.h"

namespace talaria::test {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

struct FileWay {
  const char* name;
  bool ssh;
  bool batches;
};

void PrintTo(const FileWay& way, std::ostream* out) { *out << way.name; }

class FilesTest : public TalariaTest, public testing::WithParamInterface<FileWay> {
 protected:
  void SetUp() override {
    ::signal(SIGPIPE, SIG_IGN);
    const auto executor = loop_->get_executor();
    if (GetParam().ssh) {
      const char* ssh = std::getenv("TALARIA_SSH");
      if (ssh == nullptr) GTEST_SKIP() << "no sshd for tests (tests/engines/ssh)";
      ssh_ = ssh;
      environment_ = *run_to_end(
          *loop_, environment::carrier::make_carrier_environment(
                      {.command = ssh_, .joins_arguments = true, .batches = GetParam().batches},
                      {.target = "carrier", .lifetime = std::chrono::seconds(60)}));
    } else {
      ::setenv("HOME", world_.directory("user").c_str(), 1);
      environment_ = *environment::local::make_local_environment(
          executor, {.home = world_.path("home"), .lifetime = std::chrono::seconds(60)});
    }
  }
  void TearDown() override {
    environment_.reset();
    loop_->restart();
    loop_->poll();
    loop_.reset();
    if (!ssh_.empty()) {
      const std::string end =
          ssh_ + " 'kill $(head -n 1 ~/.talaria/run/runner-v1); rm -rf ~/.talaria ~/.fs'";
      (void)std::system(end.c_str());
    }
    TalariaTest::TearDown();
  }

  template <class T>
  T wait(Task<T> task) {
    return run_to_end(*loop_, std::move(task));
  }
  std::string write(environment::TargetPath to, const std::string& bytes) {
    std::vector<environment::FileToWrite> one;
    one.push_back(content(std::move(to), bytes));
    one[0].parents = 0755;
    const auto results = wait(environment_->files().write(std::move(one), CancelToken{}));
    return results.at(0) ? "done" : results[0].error().message();
  }
  std::string read(environment::TargetPath path, std::uint64_t from = 0, std::uint64_t max = 0) {
    std::string bytes;
    const auto sink = [&](std::string_view piece) { bytes += piece; };
    const auto done =
        wait(environment_->files().read(std::move(path), from, max, sink, CancelToken{}));
    return done ? bytes : "error: " + done.error().message();
  }

  std::optional<asio::io_context> loop_{std::in_place, 1};  // its descriptors end with it
  std::string ssh_;
  std::unique_ptr<environment::Environment> environment_;
};

// As when a snapshot is restored from a slow disk.
TEST_P(FilesTest, AFileFromASlowDiskIsReadBesideTheLoop) {
  static constexpr auto kSlow = std::chrono::milliseconds(400);
  std::vector<environment::FileToWrite> one;
  one.push_back(content({"~/slow"}, "from the disk"));
  one[0].waits_for_disk = true;
  one[0].next = [next = one[0].next](std::size_t most) {
    std::this_thread::sleep_for(kSlow);
    return next(most);
  };
  ASSERT_EQ(write({"~/first"}, "x"), "done");  // now there is a connection
  const LoopGaps gaps(loop_->get_executor());
  const auto results = wait(environment_->files().write(std::move(one), CancelToken{}));
  EXPECT_TRUE(results.at(0));
  EXPECT_LT(gaps.longest(), kSlow / 2);
  EXPECT_EQ(read({"~/slow"}), "from the disk");
}

TEST_P(FilesTest, BytesGoThereAndComeBack) {
  const std::string root = world_.directory("files");
  const std::string large = pattern(3'000'017);
  EXPECT_EQ(write({root + "/a/b/large"}, large), "done");
  EXPECT_EQ(sha256_hex(read({root + "/a/b/large"})), sha256_hex(large));
  EXPECT_EQ(read({root + "/a/b/large"}, 1000, 5), large.substr(1000, 5));
  EXPECT_EQ(read({root + "/a/b/large"}, 2'999'990), large.substr(2'999'990));
  EXPECT_EQ(read({root + "/a/b/large"}, 99'000'000), "");
  EXPECT_EQ(write({root + "/empty"}, ""), "done");
  EXPECT_EQ(read({root + "/empty"}), "");

  const auto there = wait(environment_->files().stat({root + "/a/b/large"}, false, true));
  ASSERT_TRUE(there && *there) << there.error().message();
  EXPECT_EQ((*there)->facts.size, large.size());
  EXPECT_EQ((*there)->sha256, sha256_hex(large));
  const auto gone = wait(environment_->files().stat({root + "/none/x"}, false, true));
  ASSERT_TRUE(gone) << gone.error().message();
  EXPECT_FALSE(*gone);
}

TEST_P(FilesTest, ManyAtOnceAndAListOfThem) {
  const std::string root = world_.directory("files");
  std::vector<environment::FileToWrite> many;
  for (int i = 0; i < 300; ++i) {
    many.push_back(content({"d/" + std::to_string(1000 + i), root}, std::to_string(i)));
    many.back().parents = 0700;
  }
  many.push_back(content({"../escape", root}, "x"));
  const auto results = wait(environment_->files().write(std::move(many), CancelToken{}));
  ASSERT_EQ(results.size(), 301u);
  for (int i = 0; i < 300; ++i) EXPECT_TRUE(results[static_cast<std::size_t>(i)]);
  EXPECT_FALSE(results[300]);
  EXPECT_FALSE(fs::exists(world_.path("escape")));
  const auto list = wait(environment_->files().list(
      {.directory = {root}, .deep = true, .digests = true}, CancelToken{}));
  ASSERT_TRUE(list) << list.error().message();
  ASSERT_EQ(list->size(), 301u);
  EXPECT_EQ(list->front().path, "d");
  EXPECT_EQ(list->front().facts.kind, os::FileKind::directory);
  EXPECT_EQ(list->back().path, "d/1299");
  EXPECT_EQ(list->back().sha256, sha256_hex("299"));

  EXPECT_TRUE(wait(environment_->files().remove({"d/1000", "d/1001", "d/none"}, root)));
  EXPECT_FALSE(wait(environment_->files().remove({"d"}, root)));
  EXPECT_EQ(read({"d/1000", root}).substr(0, 6), "error:");
  EXPECT_EQ(read({"d/1002", root}), "2");
}

TEST_P(FilesTest, WhatIsNoFileIsAClearErrorAndNeverAWait) {
  const std::string root = world_.directory("files");
  ::mkfifo((root + "/pipe").c_str(), 0600);
  fs::create_symlink("/etc/hostname", root + "/link");
  EXPECT_THAT(read({root + "/pipe"}), HasSubstr("is a pipe, not a file"));
  EXPECT_THAT(read({"/dev/zero"}), HasSubstr("is a device, not a file"));
  EXPECT_THAT(read({root}), HasSubstr("is a directory, not a file"));
  EXPECT_THAT(read({"link", root}), HasSubstr("is a link, not a file"));
  EXPECT_THAT(read({root + "/none"}), HasSubstr("No such file"));
  EXPECT_THAT(read({"relative"}), HasSubstr("is not an absolute path"));
  EXPECT_THAT(write({root + "/pipe"}, "x"), HasSubstr("it was not replaced"));
  EXPECT_THAT(write({"/proc/x/y"}, "x"), testing::Not("done"));
  EXPECT_EQ(read({root + "/link"}), read({"/etc/hostname"}));
}

TEST_P(FilesTest, TheHomeIsTheTargetsOwn) {
  EXPECT_EQ(write({"~/.fs/x"}, "at home"), "done");
  EXPECT_EQ(read({"x", "~/.fs"}), "at home");
  const auto there = wait(environment_->files().stat({"~"}, true, false));
  ASSERT_TRUE(there && *there);
  EXPECT_EQ(read({(*there)->path + "/.fs/x"}), "at home");
}

TEST_P(FilesTest, WindowsOfLines) {
  const std::string root = world_.directory("files");
  EXPECT_EQ(write({root + "/f"}, "one\r\ntwo\n\nlast"), "done");
  const auto window = [&](link::ReadLines wanted) {
    wanted.path = wanted.path.empty() ? root + "/f" : root + "/" + wanted.path;
    return wait(environment_->files().read_lines(std::move(wanted), CancelToken{}));
  };
  const auto all = window({});
  ASSERT_TRUE(all) << all.error().message();
  EXPECT_EQ(all->data, "one\r\ntwo\n\nlast");
  EXPECT_EQ(all->lines, 4u);
  EXPECT_EQ(all->total_lines, 4u);
  EXPECT_FALSE(all->ends_with_newline);
  EXPECT_EQ(all->entry.size, 14u);
  EXPECT_EQ(all->head, all->data);
  struct stat info{};
  ASSERT_EQ(::stat((root + "/f").c_str(), &info), 0);
  EXPECT_EQ(all->inode, info.st_ino);

  const auto second = window({.first_line = 2, .max_lines = 2});
  EXPECT_EQ(second->data, "two\n\n");
  EXPECT_EQ(second->offset, 5u);
  EXPECT_EQ(window({.first_line = 4})->data, "last");
  const auto behind = window({.first_line = 5});
  EXPECT_EQ(behind->data, "");
  EXPECT_EQ(behind->total_lines, 4u);
  EXPECT_EQ(window({.max_bytes = 11})->data, "one\r\ntwo\n\n") << "whole lines";
  const auto cut = window({.max_bytes = 2});
  EXPECT_EQ(cut->data, "on");
  EXPECT_TRUE(cut->cut);

  ::mkfifo((root + "/pipe").c_str(), 0600);
  EXPECT_THAT(window({.path = "pipe"}).error().message(), HasSubstr("is a pipe, not a file"));
  EXPECT_THAT(window({.path = "../files"}).error().message(),
              HasSubstr("is a directory, not a file"));
  EXPECT_EQ(window({.path = "none"}).error().kind(), ErrorKind::not_found);
}

TEST_P(FilesTest, LinesOfAFileThatChanges) {
  const std::string root = world_.directory("files");
  const std::string path = root + "/f";
  const auto line = [&](std::uint64_t number) {
    const auto window = wait(environment_->files().read_lines(
        {.path = path, .first_line = number, .max_lines = 1}, CancelToken{}));
    return window ? window->data + "of " + std::to_string(window->total_lines)
                  : window.error().message();
  };
  std::string text;
  for (int i = 1; i <= 200'000; ++i) text += "line " + std::to_string(i) + "\n";
  EXPECT_EQ(write({path}, text), "done");
  EXPECT_EQ(line(150'000), "line 150000\nof 200000");
  EXPECT_EQ(line(150'001), "line 150001\nof 200000");
  EXPECT_EQ(write({path}, "new\n" + text), "done");
  EXPECT_EQ(line(150'001), "line 150000\nof 200001");
  ASSERT_EQ(::truncate(path.c_str(), 4 + 14), 0);
  EXPECT_EQ(line(3), "line 2\nof 3");
  EXPECT_EQ(line(150'001), "of 3");
}

TEST_P(FilesTest, Searches) {
  const std::string root = world_.directory("files");
  EXPECT_EQ(write({root + "/a/x.h"}, "no\nneedle\n"), "done");
  EXPECT_EQ(write({root + "/b\nc"}, "needle"), "done");
  for (const link::SearchEngine engine : {link::SearchEngine::any, link::SearchEngine::runner}) {
    const auto found = wait(environment_->files().search(
        {.path = root, .pattern = "ne+dle$", .context = 1, .engine = engine}, CancelToken{}));
    ASSERT_TRUE(found) << found.error().message();
    EXPECT_EQ(found->root, root);
    ASSERT_EQ(found->files.size(), 2u);
    EXPECT_EQ(found->files[0].path, "a/x.h");
    ASSERT_EQ(found->files[0].lines.size(), 2u);
    EXPECT_EQ(found->files[0].lines[1].number, 2u);
    EXPECT_EQ(found->files[1].path, "b\nc");
    if (engine == link::SearchEngine::runner) EXPECT_EQ(found->engine, link::SearchEngine::runner);
    const auto bad = wait(environment_->files().search(
        {.path = root, .pattern = "(", .engine = engine}, CancelToken{}));
    EXPECT_EQ(bad.error().kind(), ErrorKind::bad_request);
  }
  const auto none = wait(environment_->files().search({.path = root + "/none"}, CancelToken{}));
  EXPECT_EQ(none.error().kind(), ErrorKind::not_found);
  const auto home = wait(
      environment_->files().search({.path = "~", .mode = link::SearchMode::names}, CancelToken{}));
  EXPECT_TRUE(home) << home.error().message();
}

TEST_P(FilesTest, SeveralChangesAreMadeTogetherOrNotAtAll) {
  const std::string root = world_.directory("files");
  const std::string large = pattern(1'200'000);
  ASSERT_EQ(write({root + "/a"}, "one"), "done");
  ASSERT_EQ(write({root + "/b"}, "two"), "done");
  const auto change = [&](const std::string& expected) {
    std::vector<environment::FileEdit> edits;
    edits.push_back({.kind = link::ChangeKind::modify,
                     .path = root + "/a",
                     .content = large,
                     .expected = sha256_hex("one")});
    edits.push_back({.kind = link::ChangeKind::move,
                     .path = root + "/d/c",
                     .from = root + "/b",
                     .expected = sha256_hex(expected)});
    return wait(environment_->files().change(std::move(edits), CancelToken{}));
  };
  EXPECT_FALSE(change("something else"));
  EXPECT_EQ(read({root + "/a"}), "one");
  EXPECT_EQ(read({root + "/b"}), "two");
  const auto changed = change("two");
  ASSERT_TRUE(changed) << changed.error().message();
  EXPECT_EQ(changed->at(0).facts.size, large.size());
  EXPECT_EQ(sha256_hex(read({root + "/a"})), sha256_hex(large));
  EXPECT_EQ(read({root + "/d/c"}), "two");
  EXPECT_FALSE(fs::exists(root + "/b"));
}

TEST_P(FilesTest, APathIsFoundAsASessionWouldFindIt) {
  const std::string root = world_.directory("files");
  ASSERT_EQ(write({root + "/real/f"}, "x"), "done");
  fs::create_directory_symlink("real", root + "/link");
  const auto found = wait(environment_->files().locate(
      {.path = "link/./f", .session = "never-used", .first_cwd = root}));
  ASSERT_TRUE(found) << found.error().message();
  EXPECT_EQ(found->path, root + "/link/f");
  EXPECT_EQ(found->real, root + "/real/f");
  EXPECT_EQ(found->directory, root);
  EXPECT_TRUE(found->found);
  EXPECT_NE(found->inode, 0u);
  const auto missing = wait(
      environment_->files().locate({.path = root + "/real/g", .first_cwd = "/", .neighbours = 9}));
  ASSERT_TRUE(missing) << missing.error().message();
  EXPECT_FALSE(missing->found);
  EXPECT_TRUE(missing->has_parent);
  EXPECT_THAT(missing->neighbours, ElementsAre("f"));
  const auto user = wait(environment_->files().locate({.path = "~root/x", .first_cwd = "/"}));
  ASSERT_TRUE(user) << user.error().message();
  EXPECT_EQ(user->path, "/root/x");
}

INSTANTIATE_TEST_SUITE_P(Ways, FilesTest,
                         testing::Values(FileWay{"Local", false, false},
                                         FileWay{"Ssh", true, false},
                                         FileWay{"SshBatches", true, true}),
                         [](const auto& way) { return std::string(way.param.name); });

}  // namespace
}  // namespace talaria::test
