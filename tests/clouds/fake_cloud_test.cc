// That tests can rely on their fakes (what those do is shown by the vendors' SDKs: check).
#include "clouds/fake_cloud.h"

#include <gmock/gmock.h>

#include "support/talaria_test.h"

namespace talaria::test {
namespace {

class FakeCloudTest : public TalariaTest, public testing::WithParamInterface<const char*> {
 protected:
  void SetUp() override {
    if (const std::string why = FakeCloud::why_not(); !why.empty()) GTEST_SKIP() << why;
  }
};

TEST_P(FakeCloudTest, BeginsWithNothingAndIsFoundByPrograms) {
  FakeCloud cloud(world_, GetParam());
  cloud.use(world_);
  EXPECT_THAT(cloud.url(), testing::StartsWith("http://127.0.0.1:"));
  EXPECT_THAT(world_.env(), testing::Contains(testing::HasSubstr(cloud.url())));
  EXPECT_TRUE(cloud.sandboxes().empty());
  EXPECT_TRUE(cloud.requests().empty());
}

TEST_P(FakeCloudTest, TellsOfRequestsByName) {
  FakeCloud cloud(world_, GetParam());
  cloud.mark("nothing");
  cloud.fault({{"on", "*"}, {"do", "delay"}, {"seconds", 0}});
  cloud.forget_faults();
  EXPECT_TRUE(cloud.requests("SandboxCreateV2").empty());
  EXPECT_EQ(cloud.normal(), "\n");
}

INSTANTIATE_TEST_SUITE_P(Clouds, FakeCloudTest, testing::Values("modal", "daytona"),
                         [](const auto& cloud) { return std::string(cloud.param); });

}  // namespace
}  // namespace talaria::test
