// scripts/cloud-check, which people run with an account of theirs: at the fakes.
#include <csignal>

#include <boost/json/serialize.hpp>
#include <gmock/gmock.h>

#include "clouds/fake_cloud.h"
#include "support/talaria_test.h"

namespace talaria::test {
namespace {

using testing::HasSubstr;
using testing::Not;

class CloudCheckTest : public TalariaTest, public testing::WithParamInterface<const char*> {
 protected:
  void SetUp() override {
    if (const std::string why = FakeCloud::why_not(); !why.empty()) GTEST_SKIP() << why;
  }

  ProgramSpec spec_of(const std::vector<std::string>& more) {
    ProgramSpec spec = world_.spec({});
    spec.argv = {
        "/usr/bin/env",   "python3", TALARIA_CLOUD_CHECK, GetParam(),  "--program",
        World::talaria(), "--only",  "terminal/echoes*",  "--results", world_.path("results")};
    spec.argv.insert(spec.argv.end(), more.begin(), more.end());
    return spec;
  }

  Finished check(const std::vector<std::string>& more) {
    Program program(spec_of(more));
    const auto status = program.wait(std::chrono::seconds(150));
    return {status.value_or(Signaled{SIGALRM}), program.out(), program.err()};
  }
};

TEST_P(CloudCheckTest, ChecksTheServiceAndLeavesNothingThere) {
  FakeCloud cloud(world_, GetParam());
  cloud.use(world_);
  const Finished checked = check({"--yes"});
  EXPECT_EQ(checked.code(), 0) << checked.out << checked.err;
  EXPECT_THAT(checked.out, HasSubstr("2 ok, 0 failed, 0 skipped"));
  EXPECT_THAT(checked.out, HasSubstr("is as it should be"));
  EXPECT_THAT(checked.out, Not(HasSubstr("FAILED")));
  EXPECT_TRUE(eventually([&] { return cloud.sandboxes().empty(); }))
      << json::serialize(cloud.sandboxes());
  EXPECT_THAT(world_.read(std::string("results/") + GetParam() + "-cloud.json"),
              HasSubstr("\"ok\":true"));
}

TEST_P(CloudCheckTest, SaysWhatIsMissing) {
  const std::string account =
      std::string(GetParam()) == "modal" ? "MODAL_TOKEN_ID" : "DAYTONA_API_KEY";
  world_.set(account, "");
  const Finished refused = check({"--yes"});
  EXPECT_EQ(refused.code(), 125) << refused.out << refused.err;
  EXPECT_THAT(refused.out, HasSubstr(account));
}

// What it has made goes, whoever ends it.
TEST_P(CloudCheckTest, LeavesNothingWhenItIsGivenUp) {
  FakeCloud cloud(world_, GetParam());
  cloud.use(world_);
  for (const int signal : {SIGINT, SIGTERM}) {
    SCOPED_TRACE(signal);
    Program program(spec_of({"--yes"}));
    ASSERT_TRUE(eventually([&] { return !cloud.sandboxes().empty(); }));
    program.kill(signal);
    const auto status = program.wait(std::chrono::seconds(150));
    ASSERT_TRUE(status);
    EXPECT_THAT(program.out(), HasSubstr("given up"));
    EXPECT_THAT(program.out(), Not(HasSubstr("something may be left"))) << program.err();
    EXPECT_TRUE(eventually([&] { return cloud.sandboxes().empty(); }))
        << json::serialize(cloud.sandboxes());
  }
}

TEST_P(CloudCheckTest, AsksBeforeItCostsMoney) {
  const Finished refused = check({});
  EXPECT_EQ(refused.code(), 1);
  EXPECT_THAT(refused.err, HasSubstr("say --yes"));
}

TEST_P(CloudCheckTest, SaysWhyTheServiceCannotBeHad) {
  FakeCloud cloud(world_, GetParam());
  cloud.use(world_);
  for (const char* name : {"MODAL_TOKEN_SECRET", "DAYTONA_API_KEY"}) world_.set(name, "wrong");
  const Finished refused = check({"--yes"});
  EXPECT_EQ(refused.code(), 125) << refused.out << refused.err;
  EXPECT_THAT(refused.out, HasSubstr(std::string("target ") + GetParam() + " is unavailable: "));
  EXPECT_THAT(refused.out, HasSubstr("is NOT as it should be"));
}

INSTANTIATE_TEST_SUITE_P(Clouds, CloudCheckTest, testing::Values("modal", "daytona"),
                         [](const auto& cloud) { return std::string(cloud.param); });

}  // namespace
}  // namespace talaria::test
