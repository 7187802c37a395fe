// A sandbox at Daytona, with a runner that is reached over a terminal of its daemon.
#pragma once

#include <memory>
#include <vector>

#include "base/result.h"
#include "base/task.h"
#include "environment/environment_spec.h"
#include "environment/swept.h"

namespace talaria::environment::daytona {

// Whether the configuration is complete; Daytona is not asked.
Result<void> check_daytona(const DaytonaConfig& config);

// Whether the sandbox of the task runs, as far as this home knows of one.
Task<Result<bool>> is_daytona_sandbox_up(DaytonaConfig config, EnvironmentSpec spec);

// Makes or finds the sandbox first, so that a failure is known at once.
Task<Result<std::unique_ptr<Environment>>> make_daytona_environment(DaytonaConfig config,
                                                                    EnvironmentSpec spec);

// Sweeps sandboxes at Daytona that this home has made and no longer uses: those whose files are
// kept are stopped, so that they cost little, the others deleted. The time since the last use
// decides, not the death of an owner. One with background processes stays as it is unless
// SweepSpec::running is set.
//
// An error: Daytona does not answer.
Task<Result<std::vector<Swept>>> sweep_daytona(DaytonaConfig config, SweepSpec sweep);

}  // namespace talaria::environment::daytona
