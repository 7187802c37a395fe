#include "sandboxes/sandbox_paths.h"

#include <gtest/gtest.h>

namespace talaria::sandboxes {
namespace {

TEST(SandboxPlace, ADirectoryStandsForTheDirectoryTheClientNamed) {
  const SandboxInfo sandbox{.spec = {.cwd = "/root"}, .directory = "/s/1"};
  EXPECT_EQ(exec_directory(sandbox, std::nullopt), "/s/1");
  EXPECT_EQ(exec_directory(sandbox, ""), "/s/1");
  EXPECT_EQ(exec_directory(sandbox, "/root"), "/s/1");
  EXPECT_EQ(exec_directory(sandbox, "/root/a"), "/s/1/a");
  EXPECT_EQ(exec_directory(sandbox, "~"), "/s/1");
  EXPECT_EQ(exec_directory(sandbox, "~/a"), "/s/1/a");
  EXPECT_EQ(exec_directory(sandbox, "a"), "/s/1/a");
  EXPECT_EQ(exec_directory(sandbox, "/rootless"), "/rootless");
  EXPECT_EQ(exec_directory(sandbox, "/tmp"), "/tmp");
  EXPECT_EQ(exec_directory(sandbox, "/s/1/a"), "/s/1/a") << "as its commands see it";
}

TEST(SandboxPlace, TheRootOfThatMachineIsNotTheSandbox) {
  const SandboxInfo sandbox{.spec = {.cwd = "/"}, .directory = "/s/1"};
  EXPECT_EQ(exec_directory(sandbox, "/etc"), "/etc");
}

TEST(SandboxPlace, InAContainerPathsAreItsOwn) {
  const SandboxInfo sandbox{.spec = {.cwd = "/srv/w"}};
  EXPECT_EQ(exec_directory(sandbox, std::nullopt), "/srv/w");
  EXPECT_EQ(exec_directory(sandbox, "a"), "/srv/w/a");
  EXPECT_EQ(exec_directory(sandbox, "/etc"), "/etc");
  EXPECT_EQ(exec_directory(sandbox, "~/x"), "~/x");
  EXPECT_EQ(exec_directory(SandboxInfo{}, std::nullopt), "~");
}

// "/" was a container with all of the gateway's disk in it.
TEST(SandboxPlace, ClientsCannotNameImagesByTheirPath) {
  for (const char* path : {"/", "/home/x.sif", "x.sif", "../x", "debian", "docker-archive:///x"}) {
    EXPECT_TRUE(is_image_by_path("singularity", path)) << path;
  }
  EXPECT_FALSE(is_image_by_path("singularity", "docker://debian"));
  EXPECT_FALSE(is_image_by_path("singularity", "")) << "the configured one";
  EXPECT_FALSE(is_image_by_path("docker", "debian"));
  for (const char* path : {"/etc/passwd", "./x", "../x", "x/Dockerfile", "a.dockerfile"}) {
    EXPECT_TRUE(is_image_by_path("modal", path)) << path;
  }
  EXPECT_FALSE(is_image_by_path("modal", "ghcr.io/a/b:1"));
  EXPECT_FALSE(is_image_by_path("modal", "im-x")) << "one of Modal's";
}

}  // namespace
}  // namespace talaria::sandboxes
