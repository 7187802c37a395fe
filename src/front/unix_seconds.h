// Times in JSON.
#pragma once

#include <chrono>
#include <cstdint>

namespace talaria::front {

inline std::int64_t unix_seconds(std::chrono::system_clock::time_point time) {
  return std::chrono::floor<std::chrono::seconds>(time.time_since_epoch()).count();
}

}  // namespace talaria::front
