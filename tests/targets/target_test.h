// TargetTest: a target of Talaria's own making, at a real engine.
#pragma once

#include <csignal>
#include <cstdlib>
#include <string>
#include <vector>

#include "support/process_tool_test.h"

namespace talaria {

// What the engines' scripts say; empty if they were not started.
inline std::string engine(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

class TargetTest : public ProcessToolTest {
 protected:
  // A program of this machine, with the test's environment.
  Finished run_host(const std::vector<std::string>& words) {
    ProgramSpec spec = world_.spec({});
    spec.argv = {"/usr/bin/env"};
    spec.argv.insert(spec.argv.end(), words.begin(), words.end());
    Program program(spec);
    const auto status = program.wait(std::chrono::seconds(60));
    return {status.value_or(Signaled{SIGALRM}), program.out(), program.err()};
  }
  Finished shell(const std::string& line) { return run_host({"sh", "-c", line}); }

  // Variables the test's programs need to reach an engine.
  void pass(const std::vector<const char*>& names) {
    for (const char* name : names) {
      if (!engine(name).empty()) world_.set(name, engine(name));
    }
  }
};

}  // namespace talaria
