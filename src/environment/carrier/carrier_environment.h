// A target behind a carrier that the user names. The target itself is somebody else's: nothing is
// made or removed there but the runner's own directory.
#pragma once

#include <memory>

#include "environment/carrier/carrier.h"
#include "environment/environment.h"

namespace talaria {

// Whether the options say enough to try.
Result<void> check_carrier(const CarrierOptions& options);

Result<std::unique_ptr<Environment>> make_carrier_environment(const asio::any_io_executor& executor,
                                                              const CarrierOptions& options,
                                                              const LoginFiles& login = {});

}  // namespace talaria
