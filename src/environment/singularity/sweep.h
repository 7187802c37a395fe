// Stops instances that are no longer needed. The time since the last use decides, not the death of
// an owner. A running one that is meant to be found again stays unless SweepSpec::running is set;
// one in which processes run always stays.
#pragma once

#include <vector>

#include "base/result.h"
#include "base/task.h"
#include "environment/swept.h"

namespace talaria::environment::singularity {

// An error: the engine does not answer. Overlays stay.
Task<Result<std::vector<Swept>>> sweep_instances(SweepSpec sweep);

}  // namespace talaria::environment::singularity
