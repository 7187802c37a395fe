// The Options that concern the configuration, as host/config takes them.
#pragma once

#include <talaria/options.h>

#include <chrono>
#include <vector>

#include "base/result.h"
#include "host/caller.h"
#include "host/config/sources.h"

namespace talaria {

host::Caller caller_of(const Options& options);
std::chrono::seconds default_lifetime(const Options& options);

// They hold views into `settings`.
Result<std::vector<host::ConfigFlag>> config_flags(const std::vector<GivenSetting>& settings);

}  // namespace talaria
