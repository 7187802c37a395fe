// A run of a carrier that is an exec at a gateway: one whose input stays open, and whose output
// comes as events. Bytes survive both ways.
#pragma once

#include <memory>
#include <string>

#include <boost/asio/any_io_executor.hpp>

#include "base/result.h"
#include "environment/carrier/carrier_run.h"
#include "environment/managed/managed_sandbox.h"

namespace talaria::environment::managed {

// Whether the gateway can do that.
bool can_carry(const GatewaySandbox& sandbox);

// Each run is an exec of its own, which ends when its input does, or after ten minutes: should we
// be killed, nothing else would end it.
carrier::StartCarrier carrier_by_execs(asio::any_io_executor executor,
                                       std::shared_ptr<ManagedSandbox> sandbox);

}  // namespace talaria::environment::managed
