// The targets there are, as in TERMINAL_ENV.
#pragma once

#include <string_view>

namespace talaria {

inline constexpr std::string_view kTargetNames =
    "local docker podman singularity ssh carrier managed modal daytona";

}  // namespace talaria
