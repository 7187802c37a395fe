// Node and what npm brought for it, as tests/engines/node has them.
#pragma once

#include <chrono>
#include <cstdlib>
#include <string>
#include <vector>

#include "support/world.h"

namespace talaria::test {

struct Node {
  static constexpr const char* kWhy = "there is no Node for the tests (tests/engines/node)";

  static bool is_there() { return std::getenv("TALARIA_NODE") != nullptr; }
  // A file of a package.
  static std::string module(const std::string& path) {
    return std::string(std::getenv("TALARIA_NODE_MODULES")) + "/" + path;
  }

  // A program of ours, in an empty directory, to its end.
  static Finished run(World& world, const std::string& driver, std::vector<std::string> words) {
    words.insert(words.begin(), std::string(TALARIA_MCP_DRIVERS "/") + driver);
    return run_file(world, std::move(words));
  }

  // The same for any; the first word is its file.
  static Finished run_file(World& world, std::vector<std::string> words) {
    words.insert(words.begin(), std::getenv("TALARIA_NODE"));
    return run_program(world, std::move(words));
  }

  // The same for any program.
  static Finished run_program(World& world, std::vector<std::string> words) {
    world.set("NODE_PATH", std::getenv("TALARIA_NODE_MODULES"));
    world.set("TALARIA_PROGRAM", World::talaria());
    const auto begun = std::chrono::steady_clock::now();
    Program node({.argv = std::move(words), .env = world.env(), .cwd = world.directory("project")});
    const auto status = node.wait(std::chrono::seconds(240));
    return {.status = status.value_or(Exited{125}),
            .out = node.out(),
            .err = node.err() + (status ? "" : "\n[it did not end in time]"),
            .took = std::chrono::duration_cast<std::chrono::milliseconds>(
                std::chrono::steady_clock::now() - begun)};
  }
};

}  // namespace talaria::test
