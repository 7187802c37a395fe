// SshTest: Talaria configured for an ssh server of the test's own.
#pragma once

#include <unistd.h>

#include <array>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "os/directory.h"
#include "os/file.h"
#include "os/proc.h"
#include "support/process_tool_test.h"
#include "targets/ssh_server.h"

namespace talaria::test {

class SshTest : public ProcessToolTest {
 protected:
  void SetUp() override {
    server_ = std::make_unique<SshServer>(world_);
    if (!server_->trouble().empty()) GTEST_SKIP() << server_->trouble();
    world_.set("TERMINAL_ENV", "ssh");
    world_.set("TERMINAL_SSH_HOST", "talaria-test");
    world_.set("TERMINAL_SSH_USER", "root");
    world_.set("TERMINAL_SSH_CONFIG", server_->config());
    world_.set("TERMINAL_CWD", "~");
  }
  void TearDown() override {
    for (const pid_t pid : masters()) ::kill(pid, SIGTERM);
    for (const std::string& name : os::names_in(server_->home() + "/.talaria")) {
      const auto runner = Runner::in(server_->home() + "/.talaria/" + name);
      if (!runner) continue;
      runner->kill(SIGTERM);
      EXPECT_TRUE(runner->wait_gone());
    }
    server_.reset();
    ProcessToolTest::TearDown();
  }

  // Where its runner is: "there" is this machine.
  std::string runner_directory() const {
    std::array<char, 256> name{};
    ::gethostname(name.data(), name.size() - 1);
    return directory_below(server_->home() + "/.talaria", std::string("run-") + name.data());
  }
  std::optional<Runner> there() const { return Runner::in(runner_directory()); }

  // Programs of ours that hold a connection for others.
  static std::vector<pid_t> masters() {
    std::vector<pid_t> found;
    for (const pid_t pid : os::descendants(::getpid())) {
      const auto line = os::read_file("/proc/" + std::to_string(pid) + "/cmdline", 4096);
      if (line && line->starts_with("ssh: ") && line->contains("[mux]")) found.push_back(pid);
    }
    return found;
  }
  // Programs of ours that carry a link.
  static std::vector<pid_t> clients() {
    std::vector<pid_t> found;
    for (const pid_t pid : os::descendants(::getpid())) {
      const auto line = os::read_file("/proc/" + std::to_string(pid) + "/cmdline", 1 << 20);
      if (line && line->starts_with(std::string_view("ssh\0-", 5))) found.push_back(pid);
    }
    return found;
  }

  void use_config(const std::string& text) {
    std::ofstream(world_.path("ssh_config")) << text;
    world_.set("TERMINAL_SSH_CONFIG", world_.path("ssh_config"));
  }
  // A configuration for ssh with `lines` in front of the server's own.
  void add_config(const std::string& lines) {
    use_config(lines + "\n" + os::read_file(server_->config(), 1 << 16).value());
  }

  std::unique_ptr<SshServer> server_;
};

}  // namespace talaria::test
