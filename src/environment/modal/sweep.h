// Ends sandboxes that are no longer needed: no program has them or has used them for a while, and
// no process runs in them. A snapshot of files that are to be kept is made first.
#pragma once

#include <vector>

#include "base/task.h"
#include "environment/swept.h"
#include "environment/target_config.h"

namespace talaria::environment::modal {

// An error: there are no credentials, or Modal does not answer.
Task<Result<std::vector<Swept>>> sweep_sandboxes(ModalConfig config, SweepSpec sweep);

}  // namespace talaria::environment::modal
