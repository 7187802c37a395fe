// Finding the runner of a directory, or starting one: the way of every controller on this machine,
// and of the bridge that a controller elsewhere runs here. Nothing waits for longer than it says,
// and the event loop keeps running.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/task.h"
#include "os/unique_fd.h"
#include "rendezvous/runner_place.h"

namespace talaria::rendezvous {

struct RunnerSearch {
  RunnerPlace place;
  // For the runner that is started if none is there.
  std::function<Result<std::string>()> program;  // its file
  std::vector<const char*> environment;          // NAME=value, borrowed
  std::chrono::seconds lifetime{0};              // without links and commands, then it ends
  std::chrono::milliseconds patience{10'000};    // with the holder of the place; with a start
};

// A connection to the runner. The error (kind unavailable) says who stands in the way and what to
// do.
Task<Result<os::UniqueFd>> find_or_start_runner(RunnerSearch search);

// For messages: who has the place, according to its files.
std::string describe_holder(const RunnerPlace& place);

}  // namespace talaria::rendezvous
