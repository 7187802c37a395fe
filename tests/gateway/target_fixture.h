// GatewayTargetTest: a gateway with one of the other targets behind it, of a real engine, and what
// is left there when its sandboxes are gone.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include <boost/json/parse.hpp>

#include "gateway/gateway_test.h"
#include "os/file.h"
#include "os/proc.h"
#include "support/engine_test.h"
#include "targets/ssh_server.h"

namespace talaria::test {

struct GatewayTarget {
  const char* name;   // as in TERMINAL_ENV
  const char* needs;  // the variable that says its engine runs
};

inline void PrintTo(const GatewayTarget& target, std::ostream* out) { *out << target.name; }

class GatewayTargetTest : public GatewayTest, public testing::WithParamInterface<GatewayTarget> {
 protected:
  void SetUp() override {
    if (engine(GetParam().needs).empty()) GTEST_SKIP() << "no " << target() << " for tests";
    world_.set("TERMINAL_CWD", "");
    if (target() == "ssh") {
      use_ssh();
    } else if (target() == "singularity") {
      use_apptainer();
    } else {
      use_containers();
    }
    if (!IsSkipped()) begin();
  }

  void TearDown() override {
    if (gateway_) stop_gateway();
    if (!profile_.empty()) {
      host({"sh", "-c",
            target() + " rm -f $(" + target() +
                " ps -aq --filter label=hermes-profile=" + profile_ + ")"});
    }
    if (server_) end_ssh();
    GatewayTest::TearDown();
  }

  static std::string target() { return GetParam().name; }
  static bool is_container() { return target() != "ssh"; }
  void begin(std::vector<std::string> more = {}) {
    more.insert(more.end(), {"--target", target()});
    start_gateway(more);
  }

  // What the target has of sandboxes: containers, instances and overlays, directories.
  std::string left() {
    if (target() == "singularity") {
      ended_children();
      return instances() + in_directory(world_.path("scratch/hermes-overlays"));
    }
    if (server_) return in_directory(server_->home() + "/.talaria/sandboxes");
    return containers() + in_directory(world_.path("boxes/docker"));
  }

  std::string containers() {
    return host({target(), "ps", "-aq", "--filter", "label=hermes-profile=" + profile_});
  }

  std::string host(const std::vector<std::string>& words) {
    ProgramSpec spec = world_.spec({});
    spec.argv = {"/usr/bin/env"};
    spec.argv.insert(spec.argv.end(), words.begin(), words.end());
    Program program(spec);
    (void)program.wait(std::chrono::seconds(60));
    return program.out();
  }

  void end(HttpTestClient& http, const std::string& sandbox, bool snapshot) {
    const HttpAnswer answer = http.post("/v1/sandboxes/" + sandbox + "/terminate",
                                        body({{"snapshotBeforeTerminate", snapshot}}));
    EXPECT_EQ(answer.text("status"), "terminated") << answer.body;
    EXPECT_EQ(answer.text("snapshotError"), "");
  }

  std::string image_;  // for what makes containers; empty: the configured one

 private:
  void pass(const std::vector<const char*>& names) {
    for (const char* name : names) {
      if (!engine(name).empty()) world_.set(name, engine(name));
    }
  }

  void use_containers() {
    const bool docker = target() == "docker";
    if (docker) pass({"DOCKER_HOST", "DOCKER_CONFIG"});
    if (!docker) pass({"CONTAINERS_CONF", "CONTAINERS_STORAGE_CONF"});
    image_ = engine(docker ? "TALARIA_DOCKER_IMAGE" : "TALARIA_PODMAN_IMAGE");
    profile_ = "gateway-" + std::to_string(::getpid());
    world_.set("HERMES_PROFILE", profile_);
    world_.set("TERMINAL_DOCKER_NETWORK", "false");
    world_.set("TERMINAL_SANDBOX_DIR", world_.path("boxes"));
  }

  void use_apptainer() {
    world_.set("PATH", engine("TALARIA_APPTAINER_BIN") + ":/usr/local/bin:/usr/bin:/bin");
    world_.set("TERMINAL_SCRATCH_DIR", world_.directory("scratch"));
    world_.set("TERMINAL_SINGULARITY_IMAGE", engine("TALARIA_APPTAINER_SIF"));
  }

  void use_ssh() {
    server_ = std::make_unique<SshServer>(world_);
    if (!server_->trouble().empty()) GTEST_SKIP() << server_->trouble();
    world_.set("TERMINAL_SSH_HOST", "talaria-test");
    world_.set("TERMINAL_SSH_USER", "root");
    world_.set("TERMINAL_SSH_CONFIG", server_->config());
  }

  // The program that holds the connection for others, and the runner there, which is here.
  void end_ssh() {
    for (const pid_t pid : os::descendants(::getpid())) {
      const auto line = os::read_file("/proc/" + std::to_string(pid) + "/cmdline", 4096);
      if (line && line->starts_with("ssh: ") && line->contains("[mux]")) ::kill(pid, SIGTERM);
    }
    std::error_code none;
    for (const auto& place :
         std::filesystem::directory_iterator(server_->home() + "/.talaria", none)) {
      const auto runner = Runner::in(place.path());
      if (!runner) continue;
      runner->kill(SIGTERM);
      EXPECT_TRUE(runner->wait_gone());
    }
    server_.reset();
  }

  // Of this test's home alone: others may have some.
  std::string instances() {
    const json::value list = json::parse(host({"apptainer", "instance", "list", "--json"}));
    std::string found;
    for (const json::value& one : list.at("instances").as_array()) {
      const auto process = os::read_process_stat(static_cast<pid_t>(one.at("pid").as_int64()));
      if (process && process->state != 'Z') found += json::serialize(one.at("instance")) + "\n";
    }
    return found;
  }

  // An instance ends when all that was run in it is reaped, by us if its parent is gone.
  static void ended_children() {
    for (const pid_t pid : os::descendants(::getpid())) {
      const auto process = os::read_process_stat(pid);
      if (!process || process->state != 'Z' || process->parent != ::getpid()) continue;
      if (process->name != "talaria") ::waitpid(pid, nullptr, WNOHANG);
    }
  }

  static std::string in_directory(const std::string& path) {
    std::error_code none;
    std::string names;
    for (const auto& entry : std::filesystem::directory_iterator(path, none)) {
      names += entry.path().filename().string() + "\n";
    }
    return names;
  }

  std::string profile_;  // for docker and podman
  std::unique_ptr<SshServer> server_;
};

}  // namespace talaria::test
