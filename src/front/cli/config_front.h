// `talaria config`: what the configuration is, and where each value comes from.
#pragma once

#include <vector>

#include "front/stdio.h"
#include "host/caller.h"
#include "host/config/sources.h"

namespace talaria {

inline constexpr int kConfigInvalid = 1;  // no call would run with it

struct ConfigOptions {
  bool json = false;
  bool doc = false;  // the table of the documentation instead
  bool all = false;  // also what does not count now
  std::vector<ConfigFlag> settings;
};

// Returns the exit code: 0, or kConfigInvalid. Notices and errors go to standard error, or into the
// JSON.
int config_front(const Caller& caller, const ConfigOptions& options, const Stdio& stdio);

}  // namespace talaria
