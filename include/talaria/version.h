// The version of this program, as every interface shows it.
#pragma once

#include <string_view>

namespace talaria {

inline constexpr std::string_view kVersion = "0.1.0";

}  // namespace talaria
