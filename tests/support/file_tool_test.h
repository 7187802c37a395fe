// FileToolTest: the file tools through the built program, by one agent in a directory of its own.
#pragma once

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/talaria_test.h"

namespace talaria::test {

class FileToolTest : public TalariaTest {
 protected:
  void TearDown() override {
    if (agent_) EXPECT_EQ(agent_->end(), 0);
    agent_.reset();
    TalariaTest::TearDown();
  }

  // Its session is in the directory "work".
  LinesClient& agent() {
    if (!agent_) {
      agent_.emplace(world_);
      agent_->run("cd " + world_.directory("work"));
    }
    return *agent_;
  }

  std::string at(const std::string& name) const { return world_.path("work/" + name); }
  std::string put(const std::string& name, std::string_view content) {
    const std::string path = at(name);
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    std::ofstream(path, std::ios::binary) << content;
    return path;
  }
  std::string on_disk(const std::string& name) const { return world_.read("work/" + name); }
  std::vector<std::string> names(const std::string& directory = "") const {
    std::vector<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator(at(directory))) {
      found.push_back(entry.path().filename());
    }
    std::ranges::sort(found);
    return found;
  }

  json::object read(json::object arguments) {
    return agent().call("read_file", std::move(arguments));
  }
  json::object read(const std::string& path) { return read(json::object{{"path", path}}); }
  json::object write(const std::string& path, std::string_view content) {
    return agent().call("write_file", {{"path", path}, {"content", content}});
  }
  json::object search(json::object arguments) {
    return agent().call("search_files", std::move(arguments));
  }
  json::object replace(const std::string& path, std::string_view from, std::string_view to,
                       bool all = false) {
    return agent().call(
        "patch", {{"path", path}, {"old_string", from}, {"new_string", to}, {"replace_all", all}});
  }
  json::object apply(std::string_view patch) {
    return agent().call("patch", {{"mode", "patch"}, {"patch", patch}});
  }

  static std::string text(const json::object& result, std::string_view name) {
    const json::value* value = result.if_contains(name);
    return value && value->is_string() ? std::string(value->get_string()) : "";
  }
  static std::int64_t number(const json::object& result, std::string_view name) {
    const json::value* value = result.if_contains(name);
    return value && value->is_int64() ? value->get_int64() : -1;
  }
  static bool flag(const json::object& result, std::string_view name) {
    const json::value* value = result.if_contains(name);
    return value && value->is_bool() && value->get_bool();
  }

 private:
  std::optional<LinesClient> agent_;
};

}  // namespace talaria::test
