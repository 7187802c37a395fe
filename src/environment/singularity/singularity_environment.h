// An Apptainer or Singularity instance as a target. It is started for a task, found again by every
// process with the same home, and outlives them; what is changed in it stays in the task's overlay.
#pragma once

#include <memory>
#include <vector>

#include "environment/environment_spec.h"
#include "environment/swept.h"
#include "environment/warm_pool.h"

namespace talaria::environment::singularity {

// Whether an engine is installed.
Result<void> check_singularity();

// Whether it answers.
Task<Result<void>> reach_singularity();

// Finds the instance, takes one that waits, or starts one. `pool`: may be null.
Task<Result<std::unique_ptr<Environment>>> make_singularity_environment(
    SingularityConfig config, EnvironmentSpec spec, std::shared_ptr<WarmPool> pool = nullptr);

// Fills the pool of instances that wait, if the configuration has one.
void fill_singularity_pool(const asio::any_io_executor& executor, const SingularityConfig& config,
                           const EnvironmentSpec& spec, WarmPool& pool);

// Stops instances that are no longer needed. The time since the last use decides, not the death of
// an owner. A running one that is meant to be found again stays unless SweepSpec::running is set;
// one in which processes run always stays. One that waits in a pool stays while a program fills it.
//
// An error: the engine does not answer. Overlays stay.
Task<Result<std::vector<Swept>>> sweep_instances(SingularityConfig config, SweepSpec sweep);

}  // namespace talaria::environment::singularity
