// Whether processes sleep while nobody wants anything of them.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "bench/row.h"

namespace talaria::bench {

// Context switches per second of these processes in a window of some seconds, after some seconds to
// settle. The bar is 0.
Row idle_row(std::string work, const std::vector<pid_t>& pids);

}  // namespace talaria::bench
