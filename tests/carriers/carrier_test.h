// CarrierTest: a target that is reached by a command, made by hand: an ssh server, or a hardened
// container. Talaria only carries bytes to it and puts its runner there.
#pragma once

#include <unistd.h>

#include <ostream>
#include <string>
#include <vector>

#include "support/engine_test.h"

namespace talaria::test {

// The flags Hermes gives a container.
inline const std::vector<std::string> kHardened{
    "--network",      "none",
    "--cap-drop",     "ALL",
    "--cap-add",      "DAC_OVERRIDE",
    "--cap-add",      "CHOWN",
    "--cap-add",      "FOWNER",
    "--security-opt", "no-new-privileges",
    "--pids-limit",   "256",
    "--tmpfs",        "/tmp:rw,nosuid,size=64m",
    "--tmpfs",        "/var/tmp:rw,noexec,nosuid,size=64m",
    "--tmpfs",        "/run:rw,noexec,nosuid,size=64m"};

// All that can be written to is noexec.
inline const std::vector<std::string> kNowhereExecutableFlags{
    "--network",       "none",    "--read-only",   "--shm-size", "1m", "--tmpfs",
    "/root:rw,noexec", "--tmpfs", "/tmp:rw,noexec"};

class CarrierBase : public EngineTest {
 protected:
  void SetUp() override {
    for (const char* name : {"DOCKER_HOST", "DOCKER_CONFIG"}) world_.set(name, engine(name));
    world_.set("TERMINAL_ENV", "carrier");
  }
  void TearDown() override {
    if (!container_.empty()) run_host({"docker", "rm", "-f", container_});
    if (!ssh_.empty()) {
      shell(ssh_ +
            " 'for f in ~/.talaria/run*/runner-v1; do kill $(head -n 1 $f); done; "
            "rm -rf ~/.talaria'");
    }
    EngineTest::TearDown();
  }

  void use_ssh() {
    ssh_ = engine("TALARIA_SSH");
    if (ssh_.empty()) GTEST_SKIP() << "no sshd for tests (tests/engines/ssh)";
    world_.set("TERMINAL_CARRIER", ssh_);
  }

  void use_docker(const std::string& image, std::vector<std::string> flags) {
    if (engine("DOCKER_HOST").empty()) GTEST_SKIP() << "no Docker for tests (tests/engines/docker)";
    container_ = "talaria-carrier-" + std::to_string(::getpid());
    std::vector<std::string> words{"docker", "run", "-d", "--rm", "--name", container_};
    words.insert(words.end(), flags.begin(), flags.end());
    words.insert(words.end(), {image, "sleep", "600"});
    const Finished made = run_host(words);
    ASSERT_EQ(made.code(), 0) << made.err;
    world_.set("TERMINAL_CARRIER", "docker exec -i " + container_);
  }

  Finished shell(const std::string& line) { return run_host({"sh", "-c", line}); }

  std::string container_;
  std::string ssh_;
};

struct Way {
  const char* name;
  bool docker;
  bool batches;
};

inline void PrintTo(const Way& way, std::ostream* out) { *out << way.name; }

class CarrierTest : public CarrierBase, public testing::WithParamInterface<Way> {
 protected:
  void SetUp() override {
    CarrierBase::SetUp();
    if (GetParam().docker) {
      use_docker("talaria-test", kHardened);
    } else {
      use_ssh();
    }
    if (GetParam().batches) world_.set("TERMINAL_CARRIER_MODE", "batch");
  }
};

inline constexpr Way kWays[] = {{"Ssh", false, false},
                                {"Docker", true, false},
                                {"SshBatches", false, true},
                                {"DockerBatches", true, true}};

inline std::string way_name(const testing::TestParamInfo<Way>& way) { return way.param.name; }

}  // namespace talaria::test
