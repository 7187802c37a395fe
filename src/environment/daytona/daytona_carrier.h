// How a runner in a sandbox at Daytona is reached, by an environment and by a sweep.
#pragma once

#include <chrono>
#include <functional>

#include "environment/carrier/carrier.h"
#include "environment/daytona/pty_carrier.h"

namespace talaria::environment::daytona {

inline carrier::CarrierOptions daytona_carrier(const asio::any_io_executor& executor,
                                               std::function<PtyAccess()> access,
                                               std::chrono::seconds lifetime) {
  return {.places = {.name = "run-daytona"},
          .lifetime = lifetime,
          .name = "the sandbox's terminal",
          .start = carrier_by_pty(executor, std::move(access))};
}

}  // namespace talaria::environment::daytona
