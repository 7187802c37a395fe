// A target behind a carrier that the user names. The target itself is somebody else's: nothing is
// made or removed there but the runner's own directory. `plain`: without a runner.
#pragma once

#include <memory>

#include "environment/carrier/carrier.h"
#include "environment/environment.h"

namespace talaria::environment::carrier {

// Whether the options say enough to try.
Result<void> check_carrier(const CarrierOptions& options);

Task<Result<std::unique_ptr<Environment>>> make_carrier_environment(CarrierOptions options,
                                                                    LoginFiles login = {},
                                                                    bool plain = false);

}  // namespace talaria::environment::carrier
