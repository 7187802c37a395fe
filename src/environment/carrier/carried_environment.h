// An environment behind a carrier: a link to a runner that is delivered through it, or a
// PlainEnvironment if no runner can run there.
#pragma once

#include <memory>

#include "environment/carrier/carrier.h"
#include "environment/link_environment.h"

namespace talaria::environment::carrier {

struct CarriedTarget {
  std::shared_ptr<Carrier> carrier;
  link::LinkDriver::Connect connect = {};  // null: the carrier's own
  TargetOptions options;  // neither an instance nor `close`: `remove` ends and removes the runner
  bool plain = false;     // without a runner, even if one could run there
};

// Connects first, so that a target that cannot be reached is known at once.
Task<Result<std::unique_ptr<Environment>>> make_carried_environment(CarriedTarget target);

}  // namespace talaria::environment::carrier
