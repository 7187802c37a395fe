// Whether processes sleep while nobody wants anything of them.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "bench/rows.h"

namespace talaria::bench {

// Context switches per second of these processes in a window of some seconds, after some seconds to
// settle. The bar is 0.
Row idle_row(const Options& options, std::string work, const std::vector<pid_t>& pids);

}  // namespace talaria::bench
