// Paths as they are written: nothing is looked up.
#pragma once

#include <string>
#include <string_view>

namespace talaria::guard {

// Without "//", "/./", "x/.." and a "/" at its end; "." for nothing.
std::string normalized_path(std::string_view path);

}  // namespace talaria::guard
