// Names of files that are not complete yet, where they must be beside the place they are meant for.
#pragma once

#include <string>
#include <string_view>

#include "os/random.h"

namespace talaria::os {

inline constexpr std::string_view kPartPrefix = ".talaria-";
inline constexpr std::size_t kPartDigits = 16;

inline std::string part_name() { return std::string(kPartPrefix) + random_hex(kPartDigits / 2); }

// Whether the last part of the path is such a name.
inline bool is_part_name(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  return name.starts_with(kPartPrefix) && name.size() == kPartPrefix.size() + kPartDigits &&
         name.find_first_not_of("0123456789abcdef", kPartPrefix.size()) == std::string_view::npos;
}

}  // namespace talaria::os
