// Sandboxes at Daytona that this home has made and that nobody uses any more: those that are kept
// are stopped, so that they cost little, the others deleted. Time since the last use decides, never
// the death of an owner; one in which something runs in the background stays as it is unless that
// is asked for.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/task.h"
#include "environment/daytona/daytona_options.h"
#include "environment/swept.h"

namespace talaria::environment::daytona {

struct DaytonaSweep {
  DaytonaAccess access;
  std::string home;
  std::chrono::seconds max_age{600};
  bool running = false;  // also those in which something runs
  bool dry_run = false;  // only say so
};

// An error: Daytona cannot be asked.
Task<Result<std::vector<Swept>>> sweep_daytona(DaytonaSweep sweep);

}  // namespace talaria::environment::daytona
