// A program of this machine that is asked something, answers and ends (an engine's: docker,
// apptainer, ...), without holding up the event loop.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/task.h"

namespace talaria::environment {

struct ProgramCall {
  std::vector<std::string> argv;   // the first is looked up in our PATH if it has no slash
  std::vector<std::string> added;  // NAME=value, on top of our own variables
  std::chrono::milliseconds patience{10'000};
  std::string input;  // what it reads on standard input
  // Given up, it is told to end (SIGTERM) and let go, not killed: it has something to put in order.
  bool cleans_up = false;
};

struct ProgramAnswer {
  int code = 0;           // 128 + N: it died of signal N
  std::string output;     // at most 1 MiB, which is also what it can write
  std::string complaint;  // the same of standard error, without the newlines at its end
};

// What it leaves running in a session of its own stays. An error: it cannot be started, or
// (timed_out) was not done in time; then all of its own session was killed, unless it cleans up.
Task<Result<ProgramAnswer>> ask_program(ProgramCall call);

}  // namespace talaria::environment
