// An Apptainer or Singularity instance as a target. It is started for a task, found again by every
// process with the same home, and outlives them; what is changed in it stays in the task's overlay.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/gate.h"
#include "environment/bound_path.h"
#include "environment/environment.h"
#include "environment/long_work.h"
#include "environment/singularity/scratch.h"

namespace talaria::environment::singularity {

struct SingularityOptions {
  std::string home;       // Talaria writes only below <home>/talaria, and the list of snapshots
  std::string task;       // whose instance it is
  bool existing = false;  // none is started: not_found if there is none
  std::string image;
  ScratchWish scratch;
  double cpus = 0;  // 0: no limit, here and below
  std::int64_t memory_mb = 0;
  bool persistent = true;  // what is changed is kept in an overlay
  double disk_warning_gb = 500;
  std::vector<BoundPath> shared;     // credentials, skills: what the instance may read of ours
  Progress progress;                 // told of a build
  std::shared_ptr<Gate> gate;        // of those who start one at once; may be null
  std::vector<std::string> notices;  // to be told when an instance is started
  std::chrono::seconds lifetime{0};
  LoginFiles login;
};

// Whether there is an engine at all.
Result<void> check_singularity();

// Finds or starts the instance.
Task<Result<std::unique_ptr<Environment>>> make_singularity_environment(SingularityOptions options);

}  // namespace talaria::environment::singularity
