// EngineTest: another target, of a real engine (tests/engines).
#pragma once

#include <csignal>
#include <cstdlib>
#include <string>
#include <vector>

#include "support/process_tool_test.h"

namespace talaria::test {

// What the engines' scripts say; empty if they were not started.
inline std::string engine(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

class EngineTest : public ProcessToolTest {
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
};

}  // namespace talaria::test
