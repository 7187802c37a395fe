// ApprovalsTest: a world in which `rm -rf` of a directory stands for all that is dangerous.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <boost/json/parse.hpp>
#include <gtest/gtest.h>

#include "support/talaria_test.h"

namespace talaria::test {

class ApprovalsTest : public TalariaTest {
 protected:
  ApprovalsTest() {
    world_.set("TALARIA_APPROVALS_HEADLESS", "deny");
    world_.directory("work/precious");
  }

  std::string rm() const { return "rm -rf " + world_.path("work/precious"); }
  bool is_there() const { return std::filesystem::exists(world_.path("work/precious")); }
  // It runs in the queue: whoever asks waits for an answer.
  void use_queue(int seconds = 60) {
    write_config("approvals: {queue: true, gateway_timeout: " + std::to_string(seconds) + "}\n");
  }
  void write_config(const std::string& yaml) {
    world_.directory("home");
    std::ofstream(world_.path("home/config.yaml")) << yaml;
  }

  json::array pending(bool all = false) {
    std::vector<std::string> words{"approvals", "--json"};
    if (all) words.emplace_back("--all");
    const Finished listed = world_.run(words);
    EXPECT_EQ(listed.code(), 0) << listed.err;
    return json::parse(listed.out).at("approvals").as_array();
  }
  // Its id, once something is asked.
  std::string question() {
    EXPECT_TRUE(eventually([&] { return !pending().empty(); }));
    const json::array open = pending();
    return open.empty() ? "" : std::string(open[0].at("id").as_string());
  }
  static std::size_t count_of(const std::string& text, std::string_view part) {
    std::size_t count = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
      ++count;
    }
    return count;
  }
  std::string audit() { return world_.run({"audit", "--json"}).out; }
};

}  // namespace talaria::test
