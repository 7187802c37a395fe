// Whether what a command breaks at a target stays there. Nobody is asked about commands then.
#pragma once

#include <string>

#include "host/caller.h"
#include "host/config.h"

namespace talaria::policy {

struct Isolation {
  bool isolated = false;
  std::string reason;  // why it is not
};

// By what the configuration says; no engine is asked. What cannot be told for sure is not isolated.
Isolation isolation_of(const host::Config& config, const host::Caller& caller);

}  // namespace talaria::policy
