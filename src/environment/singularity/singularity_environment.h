// An Apptainer or Singularity instance as a target. It is started for a task, found again by every
// process with the same home, and outlives them; what is changed in it stays in the task's overlay.
#pragma once

#include <memory>

#include "environment/environment_spec.h"

namespace talaria::environment::singularity {

// Whether an engine is installed.
Result<void> check_singularity();

// Finds or starts the instance.
Task<Result<std::unique_ptr<Environment>>> make_singularity_environment(SingularityConfig config,
                                                                        EnvironmentSpec spec);

}  // namespace talaria::environment::singularity
