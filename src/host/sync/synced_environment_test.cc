#include "host/sync/synced_environment.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/fake_environment.h"
#include "testing/run_to_end.h"
#include "testing/temporary_directory.h"

namespace talaria::host {
namespace {

class SyncedEnvironmentTest : public testing::Test {
 protected:
  test::TemporaryDirectory home_;
  std::shared_ptr<test::FakeTarget> fake_ = std::make_shared<test::FakeTarget>();
  SyncedEnvironment synced_{std::make_unique<test::FakeEnvironment>(fake_),
                            {.home = home_.path()},
                            [] { return SharedList(); }};
};

// limits() and isolated() had default bodies once, and the wrapper did not override them: a gateway
// over Modal or Daytona reported no limits.
TEST_F(SyncedEnvironmentTest, ReportsWhatTheWrappedEnvironmentReports) {
  fake_->target = "modal";
  fake_->transport = "batch";
  fake_->place = "sandbox sb-1";
  fake_->persistent = true;
  fake_->isolated = true;
  fake_->limits = {.cpu = 2, .memory_mb = 4096, .disk_mb = 1024};
  EXPECT_EQ(synced_.target(), "modal");
  EXPECT_EQ(synced_.transport(), "batch");
  EXPECT_EQ(synced_.place(), "sandbox sb-1");
  EXPECT_TRUE(synced_.persistent());
  EXPECT_EQ(synced_.isolated(), std::optional(true));
  EXPECT_EQ(synced_.limits(), fake_->limits);
}

TEST_F(SyncedEnvironmentTest, EndsSessionsOfTheWrappedEnvironment) {
  ASSERT_TRUE(test::run_to_end(synced_.end_session("s1")));
  EXPECT_THAT(fake_->ended_sessions, testing::ElementsAre("s1"));
}

class ClosedWithFilesTest : public testing::Test {
 protected:
  ClosedWithFilesTest() {
    home_.write("skills/a/SKILL.md", "skill");
    fake_->place = "sandbox sb-1";
  }
  std::unique_ptr<SyncedEnvironment> open(FileSyncOptions options = {}) {
    options.home = home_.path();
    options.retry = std::chrono::milliseconds(1);
    auto made = std::make_unique<SyncedEnvironment>(std::make_unique<test::FakeEnvironment>(fake_),
                                                    options, [this] { return shared_.files(); });
    EXPECT_TRUE(test::run_to_end(made->run({.command = "true"}, CancelToken{})));
    return made;
  }
  void cut() {
    fake_->files.on_call = [] { return fail(ErrorKind::unavailable, "the link broke"); };
  }
  bool has_record() const {
    for (const auto& one : std::filesystem::directory_iterator(home_.path("talaria/sync/record"))) {
      if (one.path().filename() != "lock") return true;
    }
    return false;
  }

  test::TemporaryDirectory home_;
  SharedFiles shared_{{.home = home_.path()}};
  std::shared_ptr<test::FakeTarget> fake_ = std::make_shared<test::FakeTarget>();
};

// The sandbox was deleted, while the notice said that the files stay there.
TEST_F(ClosedWithFilesTest, WhatDidNotComeBackIsNotRemoved) {
  const auto synced = open();
  cut();
  const auto closed = test::run_to_end(synced->close(true));
  ASSERT_FALSE(closed);
  EXPECT_THAT(closed.error().message(), testing::HasSubstr("It stays there"));
  EXPECT_TRUE(fake_->leaves_files);
  EXPECT_THAT(fake_->closed, testing::ElementsAre(false));
  EXPECT_TRUE(has_record());
}

TEST_F(ClosedWithFilesTest, WhatOutlivesItsEnvironmentDoesNotKeepIt) {
  const auto synced = open({.outlives = true});
  cut();
  EXPECT_FALSE(test::run_to_end(synced->close(true)));
  EXPECT_THAT(fake_->closed, testing::ElementsAre(true));
  EXPECT_TRUE(has_record());
}

TEST_F(ClosedWithFilesTest, TheRecordEndsWithTheFiles) {
  fake_->persistent = true;
  ASSERT_TRUE(test::run_to_end(open()->close(false)));
  EXPECT_TRUE(has_record());
  ASSERT_TRUE(test::run_to_end(open()->close(true)));
  EXPECT_FALSE(has_record());
  EXPECT_FALSE(fake_->leaves_files);
  fake_->persistent = false;
  ASSERT_TRUE(test::run_to_end(open()->close(false)));
  EXPECT_FALSE(has_record());
}

}  // namespace
}  // namespace talaria::host
