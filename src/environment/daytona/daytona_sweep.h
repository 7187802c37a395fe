// Sweeps sandboxes at Daytona that this home has made and no longer uses: those whose files are
// kept are stopped, so that they cost little, the others deleted. The time since the last use
// decides, not the death of an owner. One with background processes stays as it is unless
// SweepSpec::running is set.
#pragma once

#include <vector>

#include "base/result.h"
#include "base/task.h"
#include "environment/swept.h"
#include "environment/target_config.h"

namespace talaria::environment::daytona {

// An error: Daytona does not answer.
Task<Result<std::vector<Swept>>> sweep_daytona(DaytonaConfig config, SweepSpec sweep);

}  // namespace talaria::environment::daytona
