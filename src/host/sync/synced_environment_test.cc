#include "host/sync/synced_environment.h"

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

}  // namespace
}  // namespace talaria::host
