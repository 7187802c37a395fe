// `talaria config`: what the configuration is, and where each value comes from.
#pragma once

#include <talaria/options.h>

#include <vector>

#include "front/stdio.h"

namespace talaria::front::cli {

inline constexpr int kConfigInvalid = 1;  // no call would run with it

struct ConfigOptions {
  bool json = false;
  bool doc = false;  // the table of the documentation instead
  bool all = false;  // also what does not count now
  std::vector<GivenSetting> settings;
};

// Returns the exit code: 0, or kConfigInvalid. Notices and errors go to standard error, or into the
// JSON.
int config_front(const ConfigOptions& options, const Stdio& stdio);

}  // namespace talaria::front::cli
