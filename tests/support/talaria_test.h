// TalariaTest: the fixture of every test here. A World of its own, and at the end the leak check,
// whatever the test did.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "support/lines_client.h"
#include "support/world.h"

namespace talaria::test {

// Without the newlines at its end.
inline std::string trim_end(std::string text) {
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

class TalariaTest : public testing::Test {
 protected:
  void TearDown() override {
    for (const std::string& leak : world_.leaks()) ADD_FAILURE() << "left behind: " << leak;
  }

  // Waits for a file the command under test writes.
  bool appears(const std::string& name) {
    return eventually([&] { return !world_.read(name).empty(); });
  }
  // The process whose pid a command wrote to a file as a sign of life.
  ProcessName process_in(const std::string& name) {
    if (!eventually([&] { return world_.read(name).ends_with('\n'); })) return {};
    return name_process(std::stoi(world_.read(name))).value_or(ProcessName{});
  }

  World world_;
};

}  // namespace talaria::test
