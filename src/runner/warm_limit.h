// How many shells may wait for the next commands of all sessions together.
#pragma once

#include <cstddef>

namespace talaria::runner {

// From the limits of this process and of its container.
std::size_t warm_shell_limit();

}  // namespace talaria::runner
