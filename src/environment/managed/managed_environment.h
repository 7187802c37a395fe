// A sandbox that an HTTP gateway makes for us, with commands run through the gateway.
#pragma once

#include <memory>

#include "base/result.h"
#include "base/task.h"
#include "environment/environment_spec.h"
#include "environment/managed/gateway_client.h"

namespace talaria::environment::managed {

// Whether the configuration is complete; the gateway is not asked.
Result<void> check_managed(const ManagedConfig& config, bool has_credential_files,
                           const ReadToken& read_token);

// Makes the sandbox first, so that a failure is known at once.
Task<Result<std::unique_ptr<Environment>>> make_managed_environment(ManagedConfig config,
                                                                    EnvironmentSpec spec,
                                                                    ReadToken read_token);

}  // namespace talaria::environment::managed
