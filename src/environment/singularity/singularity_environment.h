// An Apptainer or Singularity instance as a target. It is started for a task, found again by every
// process with the same home, and outlives them; what is changed in it stays in the task's overlay.
#pragma once

#include <memory>
#include <vector>

#include "environment/environment_spec.h"
#include "environment/swept.h"

namespace talaria::environment::singularity {

// Whether an engine is installed.
Result<void> check_singularity();

// Whether it answers.
Task<Result<void>> reach_singularity();

// Finds or starts the instance.
Task<Result<std::unique_ptr<Environment>>> make_singularity_environment(SingularityConfig config,
                                                                        EnvironmentSpec spec);

// Stops instances that are no longer needed. The time since the last use decides, not the death of
// an owner. A running one that is meant to be found again stays unless SweepSpec::running is set;
// one in which processes run always stays.
//
// An error: the engine does not answer. Overlays stay.
Task<Result<std::vector<Swept>>> sweep_instances(SweepSpec sweep);

}  // namespace talaria::environment::singularity
