// A sandbox that an HTTP gateway makes for us, with commands run through the gateway.
#pragma once

#include <memory>

#include "base/result.h"
#include "base/task.h"
#include "environment/environment.h"
#include "environment/managed/managed_options.h"

namespace talaria::environment::managed {

// Whether there is what it takes; nobody is asked.
Result<void> check_managed(const ManagedOptions& options);

// Makes the sandbox first, so that one that cannot be had is known at once.
Task<Result<std::unique_ptr<Environment>>> make_managed_environment(ManagedOptions options);

}  // namespace talaria::environment::managed
