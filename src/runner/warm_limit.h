// How many shells may wait for the next command of a session, of all sessions together.
#pragma once

#include <cstddef>

namespace talaria::runner {

// As the limits of this process and of its container have it.
std::size_t warm_shell_limit();

}  // namespace talaria::runner
