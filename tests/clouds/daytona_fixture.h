// DaytonaTest: target daytona at a fake of it. Its sandbox of a task without an override is
// `hermes-default`.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <gmock/gmock.h>

#include "clouds/fake_cloud.h"
#include "support/talaria_test.h"

namespace talaria::test {

class DaytonaTest : public TalariaTest {
 protected:
  static constexpr const char* kName = "hermes-default";
  static constexpr const char* kTerminalEnds = "DELETE /process/pty/:session";

  void SetUp() override {
    if (const std::string why = FakeCloud::why_not(); !why.empty()) GTEST_SKIP() << why;
    begin();
  }

  void TearDown() override {
    api_.reset();
    cloud_.reset();
    TalariaTest::TearDown();
  }

  // Another fake in its place.
  void begin(const std::vector<std::string>& options = {}) {
    api_.reset();
    cloud_.reset();
    cloud_ = std::make_unique<FakeCloud>(world_, "daytona", options);
    cloud_->use(world_);
    world_.set("TERMINAL_DAYTONA_IMAGE", "debian:bookworm-slim");
    world_.set("TERMINAL_CWD", "");
    const std::string url = cloud_->url();
    const std::size_t port = url.rfind(':') + 1;
    api_ = std::make_unique<HttpTestClient>(
        static_cast<std::uint16_t>(std::stoi(url.substr(port, url.find('/', port) - port))));
    api_->token = cloud_->said("api_key");
  }

  // As somebody else with the same account.
  void ask(const std::string& path, const std::string& body = "") {
    const HttpAnswer answer =
        api_->post("/api" + path, body, {{"Content-Type", "application/json"}});
    api_->close();  // its body comes in chunks, and is of no interest
    if (answer.status != 200) throw std::runtime_error(path + ": " + answer.body);
  }

  // What somebody else does to it while an agent is connected. Waits until the agent has noticed:
  // it takes its terminal back.
  void stop_under_agent() {
    const std::size_t before = count(kTerminalEnds);
    ask("/sandbox/" + id() + "/stop");
    EXPECT_TRUE(becomes("stopped"));
    EXPECT_TRUE(eventually([&] { return count(kTerminalEnds) > before; }));
  }
  void vanish_under_agent() {
    const std::size_t before = count(kTerminalEnds);
    cloud_->vanish(id());
    EXPECT_TRUE(eventually([&] { return count(kTerminalEnds) > before; }));
  }

  json::object sandbox(const std::string& name = kName) {
    for (const json::value& one : cloud_->sandboxes()) {
      if (one.at("name").as_string() == name) return one.as_object();
    }
    return {{"id", ""}, {"name", ""}, {"state", "none"}};
  }
  std::string id(const std::string& name = kName) {
    return std::string(sandbox(name).at("id").as_string());
  }
  std::string state(const std::string& name = kName) {
    return std::string(sandbox(name).at("state").as_string());
  }
  bool becomes(const std::string& wanted, const std::string& name = kName) {
    return eventually([&] { return state(name) == wanted; });
  }
  std::size_t count(const std::string& method) { return cloud_->requests(method).size(); }

  // A file of the sandbox's home, seen from here.
  std::string at_home(const std::string& sandbox_id, const std::string& file) {
    return "fake-daytona/sandboxes/" + sandbox_id + "/home/daytona/" + file;
  }

  // One command, by an agent of its own, which ends in good order.
  json::object run(const std::string& command) {
    LinesClient agent(world_);
    json::object result = agent.run(command);
    EXPECT_EQ(agent.end(), 0);
    return result;
  }

  std::vector<std::filesystem::path> leases() {
    std::vector<std::filesystem::path> found;
    const std::string directory = world_.path("home") + "/talaria/leases";
    std::error_code none;
    for (const auto& entry : std::filesystem::directory_iterator(directory, none)) {
      if (entry.path().filename().string().starts_with("sandbox-")) found.push_back(entry.path());
    }
    return found;
  }
  // As if nobody had used what is written down for a week.
  void let_a_week_pass() {
    for (const auto& lease : leases()) {
      std::filesystem::last_write_time(
          lease, std::filesystem::file_time_type::clock::now() - std::chrono::hours(7 * 24));
    }
  }

  std::unique_ptr<FakeCloud> cloud_;
  std::unique_ptr<HttpTestClient> api_;
};

}  // namespace talaria::test
