// Whether a start can be run as it stands: what is out of bounds is refused before anything is
// done.
#pragma once

#include "base/result.h"
#include "link/messages.h"

namespace talaria {

Result<void> check_start(const Start& start);

}  // namespace talaria
