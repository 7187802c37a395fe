// Runs a program of this machine that prints an answer and ends (docker, apptainer, ...), without
// blocking the event loop.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/task.h"

namespace talaria::environment {

struct ProgramCall {
  std::vector<std::string> argv;   // the first is looked up in our PATH if it has no slash
  std::vector<std::string> added;  // NAME=value, in addition to our own variables
  std::chrono::milliseconds patience{10'000};
  std::string input;  // its standard input
  // When the call is cancelled it gets SIGTERM and is not killed, because it must clean up.
  bool cleans_up = false;
};

struct ProgramAnswer {
  int code = 0;           // 128 + N: it died of signal N
  std::string output;     // at most 1 MiB, which is also what it can write
  std::string complaint;  // likewise of standard error, without trailing newlines
};

// Children in a session of their own keep running. An error: it cannot be started, or (timed_out)
// it took too long; then its whole session was killed, unless it cleans up.
Task<Result<ProgramAnswer>> ask_program(ProgramCall call);

}  // namespace talaria::environment
