// What a program of the system says when it is asked something simple.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "base/result.h"

namespace talaria::os {

// Its standard output and error together, up to 64 KiB. An error if it cannot be started or is not
// done in time.
Result<std::string> program_output(const std::vector<std::string>& argv,
                                   std::chrono::milliseconds patience);

}  // namespace talaria::os
