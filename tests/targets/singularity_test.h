// What tests of Apptainer instances share: the real engine, and what it runs.
#pragma once

#include <sys/wait.h>

#include <csignal>
#include <string>
#include <vector>

#include <boost/json/parse.hpp>
#include <gmock/gmock.h>

#include "os/proc.h"
#include "support/engine_test.h"

namespace talaria::test {

class SingularityTargetTest : public EngineTest {
 protected:
  void SetUp() override {
    const std::string bin = engine("TALARIA_APPTAINER_BIN");
    if (bin.empty()) GTEST_SKIP() << "no Apptainer for tests (tests/engines/apptainer)";
    world_.set("PATH", bin + ":/usr/local/bin:/usr/bin:/bin");
    world_.set("TERMINAL_ENV", "singularity");
    world_.set("TERMINAL_SINGULARITY_IMAGE", engine("TALARIA_APPTAINER_SIF"));
    world_.set("TERMINAL_SCRATCH_DIR", scratch_);
    world_.set("TERMINAL_CWD", "/root");
  }
  void TearDown() override {
    if (!IsSkipped()) kill_instances();
    EngineTest::TearDown();
  }

  json::array instances() {
    const Finished list = run_host({"apptainer", "instance", "list", "--json"});
    json::array living;
    for (const json::value& instance : json::parse(list.out).at("instances").as_array()) {
      const auto process = os::read_process_stat(static_cast<pid_t>(instance.at("pid").as_int64()));
      if (process && process->state != 'Z') living.push_back(instance);
    }
    return living;
  }
  std::string only_instance() {
    const json::array all = instances();
    EXPECT_THAT(all, testing::SizeIs(1));
    return all.empty() ? "" : std::string(all[0].at("instance").as_string());
  }
  // As somebody else would end it, or a machine that runs out of memory.
  void kill_instances() {
    for (const json::value& instance : instances()) {
      ::kill(static_cast<pid_t>(instance.at("pid").as_int64()), SIGKILL);
    }
    ASSERT_TRUE(eventually([&] {
      reap_adopted();
      return instances().empty();
    }));
  }

  // What the World's test process has inherited: an instance ends when all that was run in it is
  // reaped.
  static void reap_adopted() {
    for (const pid_t pid : os::descendants(::getpid())) {
      const auto process = os::read_process_stat(pid);
      if (!process || process->state != 'Z' || process->parent != ::getpid()) continue;
      if (process->name != "talaria") ::waitpid(pid, nullptr, WNOHANG);
    }
  }

  std::string overlay(const std::string& task) const {
    return scratch_ + "/hermes-overlays/overlay-" + task;
  }

  std::string scratch_ = world_.directory("scratch");
};

}  // namespace talaria::test
