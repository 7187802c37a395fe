// Files at a target: on this machine, over one ssh channel and over batches, by the same code.
#include <sys/stat.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <ostream>
#include <string>

#include <boost/asio/io_context.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/sha256.h"
#include "environment/carrier/carrier_environment.h"
#include "environment/local/local_environment.h"
#include "files/content.h"
#include "support/talaria_test.h"
#include "testing/run_to_end.h"

namespace talaria {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

struct Way {
  const char* name;
  bool ssh;
  bool batches;
};

void PrintTo(const Way& way, std::ostream* out) { *out << way.name; }

class FilesTest : public TalariaTest, public testing::WithParamInterface<Way> {
 protected:
  void SetUp() override {
    ::signal(SIGPIPE, SIG_IGN);
    const auto executor = loop_->get_executor();
    if (GetParam().ssh) {
      const char* ssh = std::getenv("TALARIA_SSH");
      if (ssh == nullptr) GTEST_SKIP() << "no sshd for tests (tests/engines/ssh)";
      ssh_ = ssh;
      environment_ = *run_to_end(
          *loop_, make_carrier_environment({.command = ssh_,
                                            .joins_words = true,
                                            .batches = GetParam().batches,
                                            .lifetime = std::chrono::seconds(60)}));
    } else {
      ::setenv("HOME", world_.directory("user").c_str(), 1);
      environment_ = *make_local_environment(
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
  std::string write(TargetPath to, const std::string& bytes) {
    std::vector<FileToWrite> one;
    one.push_back(content(std::move(to), bytes));
    one[0].parents = 0755;
    const auto results = wait(environment_->files().write(std::move(one), CancelToken{}));
    return results.at(0) ? "done" : results[0].error().message();
  }
  std::string read(TargetPath path, std::uint64_t from = 0, std::uint64_t max = 0) {
    std::string bytes;
    const auto sink = [&](std::string_view piece) { bytes += piece; };
    const auto done =
        wait(environment_->files().read(std::move(path), from, max, sink, CancelToken{}));
    return done ? bytes : "error: " + done.error().message();
  }

  std::optional<asio::io_context> loop_{std::in_place, 1};  // its descriptors end with it
  std::string ssh_;
  std::unique_ptr<Environment> environment_;
};

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
  std::vector<FileToWrite> many;
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
  EXPECT_EQ(list->front().facts.kind, FileKind::directory);
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
  EXPECT_THAT(read({root + "/pipe"}), HasSubstr("is a device, pipe or socket, no file"));
  EXPECT_THAT(read({"/dev/zero"}), HasSubstr("is a device, pipe or socket, no file"));
  EXPECT_THAT(read({root}), HasSubstr("is a directory, no file"));
  EXPECT_THAT(read({"link", root}), HasSubstr("is a link, no file"));
  EXPECT_THAT(read({root + "/none"}), HasSubstr("No such file"));
  EXPECT_THAT(read({"relative"}), HasSubstr("is no absolute path"));
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

INSTANTIATE_TEST_SUITE_P(Ways, FilesTest,
                         testing::Values(Way{"Local", false, false}, Way{"Ssh", true, false},
                                         Way{"SshBatches", true, true}),
                         [](const auto& way) { return std::string(way.param.name); });

}  // namespace
}  // namespace talaria
