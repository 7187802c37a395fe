// Checks a start before anything is done for it.
#pragma once

#include "base/result.h"
#include "link/messages.h"

namespace talaria::runner {

Result<void> check_start(const link::Start& start);

}  // namespace talaria::runner
