// Whether a target is isolated: commands cannot damage anything outside of it, so nobody is asked
// about them.
#pragma once

#include <string>

#include "host/caller.h"
#include "host/config.h"

namespace talaria::policy {

struct Isolation {
  bool isolated = false;
  std::string reason;  // why it is not
};

// By the configuration; no engine is asked. If it is not certain, the target is not isolated.
Isolation isolation_of(const host::Config& config, const host::Caller& caller);

}  // namespace talaria::policy
