#include "sandboxes/sandbox_config.h"

#include <gtest/gtest.h>

namespace talaria::sandboxes {
namespace {

namespace json = boost::json;

host::Config configured() {
  host::Config config;
  config.container = {.cpu = 1, .memory_mb = 5120, .disk_mb = 0};
  return config;
}

TEST(SandboxConfig, WhatIsAskedForTakesThePlaceOfWhatIsConfigured) {
  const SandboxSpec spec{.image = "i", .cpu = 0.25, .memory_mib = 300.9, .disk_mib = 10};
  EXPECT_EQ(override_for(spec, "docker", configured()), (json::object{{"env_type", "docker"},
                                                                      {"docker_image", "i"},
                                                                      {"container_cpu", "0.25"},
                                                                      {"container_memory", "300"},
                                                                      {"container_disk", "10"}}));
  EXPECT_EQ(override_for({.image = "i"}, "singularity", configured()),
            (json::object{{"env_type", "singularity"}, {"singularity_image", "i"}}));
  for (const char* cloud : {"modal", "daytona"}) {
    EXPECT_EQ(override_for({.image = "i"}, cloud, configured()),
              (json::object{{"env_type", cloud}, {std::string(cloud) + "_image", "i"}}));
  }
}

TEST(SandboxConfig, WhoDoesNotAskGetsNoMoreThanMayBeAskedFor) {
  host::Config config = configured();
  config.gateway = {.max_cpu = 4, .max_memory_mb = 512, .max_disk_mb = 100};
  EXPECT_EQ(override_for({}, "podman", config),
            (json::object{
                {"env_type", "podman"}, {"container_memory", "512"}, {"container_disk", "100"}}))
      << "no disk limit is configured, so the bound is one";
}

TEST(SandboxConfig, PatternsAreHeldAgainstTheWholeName) {
  const std::vector<std::string> patterns{"python:3.*", "a/b"};
  EXPECT_TRUE(permits_image(patterns, "python:3.11"));
  EXPECT_TRUE(permits_image(patterns, "a/b"));
  EXPECT_TRUE(permits_image(patterns, ""));
  EXPECT_TRUE(permits_image({}, "anything"));
  EXPECT_FALSE(permits_image(patterns, "a/b:1"));
  EXPECT_FALSE(permits_image(patterns, "x/python:3.11"));
  EXPECT_FALSE(permits_image(patterns, "python:4"));
}

}  // namespace
}  // namespace talaria::sandboxes
