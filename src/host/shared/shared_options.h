// What the configuration says about files that targets get.
#pragma once

#include "host/caller.h"
#include "host/config.h"
#include "host/shared/shared_files.h"

namespace talaria::host {

SharedOptions shared_options(const Config& config, const Caller& caller);

}  // namespace talaria::host
