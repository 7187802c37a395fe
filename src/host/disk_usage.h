// How much of the disk directories take.
#pragma once

#include <string>
#include <vector>

namespace talaria::host {

// Sizes of the regular files below them; links are not followed, and what cannot be read counts
// nothing. MB of 2^20 bytes.
double disk_usage_mb(const std::vector<std::string>& directories);

}  // namespace talaria::host
