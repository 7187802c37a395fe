// ModalTest: target modal with an account of one's own, at a fake of the test's own.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "clouds/fake_cloud.h"
#include "os/proc.h"
#include "support/process_tool_test.h"

namespace talaria::test {

class ModalTest : public ProcessToolTest {
 protected:
  void SetUp() override {
    if (const std::string why = FakeCloud::why_not(); !why.empty()) GTEST_SKIP() << why;
    if (!std::filesystem::exists(TALARIA_MODAL_PROGRAM)) GTEST_SKIP() << "built without gRPC";
    begin();
  }
  void TearDown() override {
    cloud_.reset();
    ProcessToolTest::TearDown();
  }

  // Another fake, with options of its own.
  void begin(const std::vector<std::string>& options = {}) {
    cloud_.reset();
    std::filesystem::remove_all(world_.path("fake-modal"));
    cloud_ = std::make_unique<FakeCloud>(world_, "modal", options);
    cloud_->use(world_);
    world_.set("TERMINAL_CWD", "");
    world_.set("TERMINAL_MODAL_IMAGE", "python:3.11");
  }

  // One command, by a program of its own, which is over when this returns.
  json::object run(const std::string& command) {
    LinesClient agent(world_);
    json::object result = agent.run(command);
    agent.end();
    return result;
  }

  std::string only_sandbox() {
    const json::array there = cloud_->sandboxes();
    return there.size() == 1 ? std::string(there.front().as_string())
                             : std::to_string(there.size()) + " sandboxes";
  }
  // A file of the sandbox, as this machine sees it.
  std::string there(const std::string& path) {
    return "fake-modal/sandboxes/" + only_sandbox() + path;
  }
  bool nothing_left() {
    return eventually([&] { return cloud_->sandboxes().empty(); });
  }
  std::size_t count(std::string_view method) { return cloud_->requests(method).size(); }

  // Whether Talaria has noticed that the sandbox is gone, and waited for its program there: until
  // then a command may still be sent to where nobody is.
  static bool gone_is_noticed() {
    return eventually([] {
      return std::ranges::none_of(os::descendants(::getpid()), [](pid_t pid) {
        const auto stat = os::read_process_stat(pid);
        return stat && stat->name == "talaria-modal";
      });
    });
  }

  std::string snapshots() { return world_.read("home/modal_snapshots.json"); }
  void write_snapshots(const std::string& text) {
    std::ofstream(world_.directory("home") + "/modal_snapshots.json") << text;
  }
  std::vector<std::string> leases() {
    std::vector<std::string> found;
    std::error_code none;
    for (const auto& entry :
         std::filesystem::directory_iterator(world_.path("home/talaria/leases"), none)) {
      if (entry.is_regular_file()) found.push_back(entry.path().string());
    }
    return found;
  }

  std::unique_ptr<FakeCloud> cloud_;
};

}  // namespace talaria::test
