// Which home something at a target belongs to. Homes may share an engine, an account or a
// workspace, and have the same path on different machines.
#pragma once

#include <string>

namespace talaria::environment {

// Random, and the same for all programs of the home from then on. Empty: it cannot be written.
std::string home_mark(const std::string& home);

}  // namespace talaria::environment
