// A sandbox at Daytona, with a runner that is reached over a terminal of its daemon.
#pragma once

#include <memory>

#include "base/result.h"
#include "base/task.h"
#include "environment/carrier/carrier.h"
#include "environment/daytona/daytona_options.h"
#include "environment/environment.h"

namespace talaria::environment::daytona {

// Whether there is what it takes; nobody is asked.
Result<void> check_daytona(const DaytonaOptions& options);

// Makes or finds the sandbox first, so that one that cannot be had is known at once.
// Whether the sandbox of the task runs, as far as this home knows of one.
Task<Result<bool>> is_daytona_sandbox_up(DaytonaOptions options);

Task<Result<std::unique_ptr<Environment>>> make_daytona_environment(DaytonaOptions options);

}  // namespace talaria::environment::daytona
