// What happened to files that came back from a target, written down for whoever wonders later.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace talaria::host {

// A line for each notice, with the time. A file that has become long is set aside as PATH.1.
Result<void> append_to_log(const std::string& path, std::string_view target,
                           const std::vector<std::string>& notices);

}  // namespace talaria::host
