#include "policy/approval/isolation.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace talaria::policy {
namespace {

host::Config docker(std::vector<std::string> volumes, std::vector<std::string> extra = {}) {
  return {.home = "/home/me/.hermes",
          .target = "docker",
          .sandbox_dir = "/home/me/.hermes/sandboxes",
          .docker = {.volumes = std::move(volumes), .extra_args = std::move(extra)}};
}

TEST(Isolation, OfTargets) {
  const struct {
    const char* target;
    bool isolated;
  } cases[] = {
      {"docker", true},   {"podman", true},   {"singularity", true}, {"modal", true},
      {"daytona", true},  {"local", false},   {"ssh", false},        {"carrier", false},
      {"managed", false}, {"unknown", false}, {"", false},
  };
  for (const auto& c : cases) {
    const Isolation found = isolation_of({.target = c.target, .sandbox_dir = "/s"}, {});
    EXPECT_EQ(found.isolated, c.isolated) << c.target;
    EXPECT_EQ(found.reason.empty(), c.isolated) << c.target;
  }
}

// What a gateway says itself is asked where it is known (approvals.cc).
TEST(Isolation, ModalThroughAGatewayIsNotWhatModalIs) {
  EXPECT_FALSE(isolation_of({.target = "modal", .managed = {.chosen = true}}, {}).isolated);
}

TEST(Isolation, OfContainersByWhatTheyGet) {
  const struct {
    const char* name;
    host::Config config;
    bool isolated;
  } cases[] = {
      {"nothing", docker({}), true},
      {"read-only", docker({"/data:/data:ro"}), true},
      {"read-only among others", docker({"/data:/data:z,ro"}), true},
      {"a volume of the engine", docker({"cache:/cache"}), true},
      {"a volume without a name", docker({"/cache"}), true},
      {"a sandbox directory", docker({"/home/me/.hermes/sandboxes/x:/x"}), true},
      {"writable", docker({"/data:/data"}), false},
      {"writable by its options", docker({"/data:/data:rw"}), false},
      {"a relative one", docker({"./src:/src"}), false},
      {"a home", docker({"~/x:/x"}), false},
      {"out of the sandbox", docker({"/home/me/.hermes/sandboxes/../config.yaml:/c"}), false},
      {"beside the sandbox", docker({"/home/me/.hermes/sandboxes-2:/c"}), false},
      {"the second of two", docker({"/a:/a:ro", "/b:/b"}), false},
      {"docker.sock", docker({"/var/run/docker.sock:/var/run/docker.sock"}), false},
      {"docker.sock, read-only", docker({"/run/docker.sock:/d.sock:ro"}), false},
      {"what holds it", docker({"/var/run:/host/run:ro"}), false},
      {"all there is", docker({"/:/host:ro"}), false},
      {"podman.sock", docker({"/run/user/1000/podman/podman.sock:/p:ro"}), false},
      {"privileged", docker({}, {"--privileged"}), false},
      {"privileged, said", docker({}, {"--privileged=true"}), false},
      {"privileged before a word", docker({}, {"--privileged", "false"}), false},
      {"not privileged", docker({}, {"--privileged=false"}), true},
      {"host pids", docker({}, {"--pid=host"}), false},
      {"host pids, apart", docker({}, {"--pid", "host"}), false},
      {"host network", docker({}, {"--network", "host"}), false},
      {"host network, short", docker({}, {"--net=host"}), false},
      {"another network", docker({}, {"--network", "none"}), true},
      {"a mount", docker({}, {"--mount", "type=bind,source=/x,target=/x"}), false},
      {"a mount, read-only", docker({}, {"--mount=type=bind,src=/x,dst=/x,readonly"}), true},
      {"a mount of a volume", docker({}, {"--mount", "type=volume,source=/x,target=/x"}), true},
      {"-v", docker({}, {"-v", "/x:/x"}), false},
      {"-v in one word", docker({}, {"-v/x:/x"}), false},
      {"-v behind switches", docker({}, {"-itv", "/x:/x"}), false},
      {"the same in one word", docker({}, {"-itv/x:/x"}), false},
      {"-v=", docker({}, {"-v=/x:/x"}), false},
      {"other letters with values", docker({}, {"-itw/v", "-eA=/x:/x", "-itu", "v"}), true},
      {"--volume=", docker({}, {"--volume=/x:/x"}), false},
      {"others' volumes", docker({}, {"--volumes-from", "other"}), false},
      {"a device", docker({}, {"--device=/dev/kvm"}), false},
      {"all capabilities", docker({}, {"--cap-add", "ALL"}), false},
      {"a capability too much", docker({}, {"--cap-add=CAP_SYS_ADMIN"}), false},
      {"a capability", docker({}, {"--cap-add", "SYS_PTRACE"}), true},
      {"unconfined", docker({}, {"--security-opt", "seccomp=unconfined"}), false},
      {"limits", docker({}, {"--cpus", "3", "--memory=1g", "-e", "A=b"}), true},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const Isolation found = isolation_of(c.config, {});
    EXPECT_EQ(found.isolated, c.isolated) << found.reason;
  }
}

TEST(Isolation, AWorkspaceThatWasAskedForIsFineUnlessItHoldsOurHome) {
  host::Config config = docker({});
  config.docker.host_cwd = "/home/me/project";
  EXPECT_TRUE(isolation_of(config, {}).isolated);
  for (const char* directory : {"/home/me", "/", "/home/me/.hermes"}) {
    config.docker.host_cwd = directory;
    EXPECT_FALSE(isolation_of(config, {}).isolated) << directory;
  }
}

TEST(Isolation, TheEnginesOwnVariablesCount) {
  const host::Config config{.home = "/h", .target = "singularity", .sandbox_dir = "/h/sandboxes"};
  const struct {
    const char* variable;
    bool isolated;
  } cases[] = {
      {"APPTAINER_BIND=/data", false},
      {"APPTAINER_BIND=/data:/data:ro", true},
      {"SINGULARITY_BINDPATH=/a:/a:ro,/b", false},
      {"APPTAINER_MOUNT=type=bind,source=/a,destination=/a", false},
      {"APPTAINER_BIND=", true},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(isolation_of(config, {.variables = {c.variable}}).isolated, c.isolated) << c.variable;
  }
}

}  // namespace
}  // namespace talaria::policy
