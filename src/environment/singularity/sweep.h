// Instances that nobody needs any more. Time since the last use decides, never the death of an
// owner. One that runs and is meant to be found again is left alone unless that is asked for; one
// in which something goes on always is.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/task.h"
#include "environment/swept.h"

namespace talaria::environment::singularity {

struct InstanceSweep {
  std::string home;
  std::chrono::seconds max_age{600};
  bool running = false;  // also those that run and are meant to be found again
  bool dry_run = false;  // only say so
};

// An error: the engine cannot be asked. What is kept in overlays stays.
Task<Result<std::vector<Swept>>> sweep_instances(InstanceSweep sweep);

}  // namespace talaria::environment::singularity
