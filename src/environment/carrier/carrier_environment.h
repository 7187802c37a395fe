// A target behind a carrier that the user names. The target itself is not ours: nothing is
// made or removed there but the runner's own directory. `plain`: without a runner.
#pragma once

#include <memory>

#include "environment/environment_spec.h"

namespace talaria::environment::carrier {

// Whether the configuration has a command.
Result<void> check_carrier(const CarrierConfig& config);

// Whether it runs a program at the target now. timed_out: no answer came.
Task<Result<void>> reach_carrier(CarrierConfig config);

Task<Result<std::unique_ptr<Environment>>> make_carrier_environment(CarrierConfig config,
                                                                    EnvironmentSpec spec);

}  // namespace talaria::environment::carrier
