// Whether a start can be run as it stands: what is out of bounds is refused before anything is
// done.
#pragma once

#include "base/result.h"
#include "link/messages.h"

namespace talaria::runner {

Result<void> check_start(const link::Start& start);

}  // namespace talaria::runner
