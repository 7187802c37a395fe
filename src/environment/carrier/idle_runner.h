// Whether anybody needs the runner behind a carrier, and with it the place it is in.
#pragma once

#include <memory>

#include "base/result.h"
#include "base/task.h"
#include "environment/carrier/carrier.h"

namespace talaria::environment::carrier {

// No process runs there and no controller but us is connected. An error: it cannot be asked.
Task<Result<bool>> is_runner_idle(std::shared_ptr<Carrier> carrier);
// Through a carrier of its own. If there is no runner, one is started for a second.
Task<Result<bool>> is_runner_idle(CarrierOptions options);

}  // namespace talaria::environment::carrier
