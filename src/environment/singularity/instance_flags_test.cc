#include "environment/singularity/instance_flags.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace talaria::environment::singularity {
namespace {

using testing::ElementsAre;

TEST(InstanceFlagsTest, WithEverything) {
  const InstanceSpec spec{.image = "/cache/x.sif",
                          .overlay = "/scratch/hermes-overlays/overlay-t",
                          .binds = {{"/home/me/key", "/root/.hermes/key"}, {"/s", "/root/s"}},
                          .memory_mb = 5120,
                          .cpus = 1};
  EXPECT_THAT(
      instance_arguments(spec, "hermes_0123456789ab"),
      ElementsAre("instance", "start", "--containall", "--no-home", "--overlay",
                  "/scratch/hermes-overlays/overlay-t", "--bind",
                  "/home/me/key:/root/.hermes/key:ro", "--bind", "/s:/root/s:ro", "--memory",
                  "5120M", "--cpus", "1", "/cache/x.sif", "hermes_0123456789ab"));
}

TEST(InstanceFlagsTest, WithNothingAndWithHalfACpu) {
  InstanceSpec spec{.image = "docker://debian"};
  EXPECT_THAT(instance_arguments(spec, "hermes_x"),
              ElementsAre("instance", "start", "--containall", "--no-home", "--writable-tmpfs",
                          "docker://debian", "hermes_x"));
  EXPECT_FALSE(has_limits(spec));
  spec.cpus = 0.5;
  EXPECT_TRUE(has_limits(spec));
  EXPECT_THAT(instance_arguments(spec, "hermes_x"),
              ElementsAre("instance", "start", "--containall", "--no-home", "--writable-tmpfs",
                          "--cpus", "0.5", "docker://debian", "hermes_x"));
  EXPECT_FALSE(has_limits(without_limits(spec)));
}

// `--bind /a:b:/c:ro` would bind something else.
TEST(InstanceFlagsTest, PathsTheEngineWouldSplitAreRefused) {
  EXPECT_TRUE(can_be_bound({"/a b/c", "/root/x"}));
  EXPECT_FALSE(can_be_bound({"/a:b", "/root/x"}));
  EXPECT_FALSE(can_be_bound({"/a", "/root/x,y"}));
  EXPECT_TRUE(check_overlay("/scratch/me"));
  const auto refused = check_overlay("/scratch/a:b");
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message().find("TERMINAL_SCRATCH_DIR"), std::string::npos);
}

}  // namespace
}  // namespace talaria::environment::singularity
