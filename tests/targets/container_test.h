// ContainerTest: containers of docker or podman. Each test has a profile of its own, so that tests
// do not find each other's containers; what is left of it at the end is removed.
#pragma once

#include <ostream>

#include "targets/target_test.h"

namespace talaria::test {

struct ContainerEngine {
  const char* name;      // as in TERMINAL_ENV
  const char* variable;  // that says it runs
  const char* image;
  const char* poor_image;
};

inline constexpr ContainerEngine kContainerEngines[] = {
    {"docker", "DOCKER_HOST", "TALARIA_DOCKER_IMAGE", "TALARIA_DOCKER_POOR_IMAGE"},
    {"podman", "TALARIA_PODMAN", "TALARIA_PODMAN_IMAGE", "TALARIA_PODMAN_POOR_IMAGE"}};

inline void PrintTo(const ContainerEngine& one, std::ostream* out) { *out << one.name; }
inline std::string engine_name(const testing::TestParamInfo<ContainerEngine>& one) {
  return one.param.name;
}

class ContainerTest : public TargetTest, public testing::WithParamInterface<ContainerEngine> {
 protected:
  void SetUp() override {
    if (engine(GetParam().variable).empty()) {
      GTEST_SKIP() << "no " << GetParam().name << " for tests (tests/engines)";
    }
    // Podman would read Docker's configuration, too.
    if (GetParam().name == std::string_view("docker")) {
      pass({"DOCKER_HOST", "DOCKER_CONFIG"});
    } else {
      pass({"CONTAINERS_CONF", "CONTAINERS_STORAGE_CONF"});
    }
    profile_ = "test-" + std::to_string(::getpid());
    world_.set("TERMINAL_ENV", GetParam().name);
    world_.set("TERMINAL_DOCKER_IMAGE", engine(GetParam().image));
    world_.set("TERMINAL_DOCKER_NETWORK", "false");
    world_.set("TERMINAL_CONTAINER_MEMORY", "512");
    world_.set("TERMINAL_SANDBOX_DIR", world_.path("sandboxes"));
    world_.set("TERMINAL_CWD", "");
    world_.set("HERMES_PROFILE", profile_);
  }
  void TearDown() override {
    for (const std::string& id : containers()) box({"rm", "-f", id});
    TargetTest::TearDown();
  }

  Finished box(std::vector<std::string> words) {
    words.insert(words.begin(), GetParam().name);
    return run_host(words);
  }

  // The ids of this test's containers, running or not.
  std::vector<std::string> containers() {
    if (profile_.empty()) return {};
    std::istringstream ids(
        box({"ps", "-aq", "--no-trunc", "--filter", "label=hermes-profile=" + profile_}).out);
    std::vector<std::string> found;
    for (std::string id; ids >> id;) found.push_back(id);
    return found;
  }
  // The only one there is.
  std::string container() {
    const std::vector<std::string> all = containers();
    EXPECT_EQ(all.size(), 1u);
    return all.empty() ? "" : all.front();
  }
  std::string state_of(const std::string& id) {
    return trim_end(box({"inspect", "--format", "{{.State.Status}}", id}).out);
  }
  // A container as upstream Hermes makes them.
  std::string make_upstream(const std::string& task) {
    return trim_end(box({"run", "-d", "--init", "--label", "hermes-agent=1", "--label",
                         "hermes-task-id=" + task, "--label", "hermes-profile=" + profile_,
                         "--network=none", engine(GetParam().image), "sleep", "infinity"})
                        .out);
  }

  std::string profile_;
};

}  // namespace talaria::test
