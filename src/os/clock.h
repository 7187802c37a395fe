// The time of day, as messages and files carry it.
#pragma once

#include <chrono>
#include <cstdint>

namespace talaria::os {

inline std::uint64_t milliseconds_since_1970() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::milliseconds>(now).count());
}

}  // namespace talaria::os
