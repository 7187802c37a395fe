// Times as they stand in the database: milliseconds since 1970.
#pragma once

#include <chrono>
#include <cstdint>

namespace talaria::host {

inline std::int64_t stored(std::chrono::system_clock::time_point time) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()).count();
}

inline std::int64_t now_stored() { return stored(std::chrono::system_clock::now()); }

inline std::chrono::system_clock::time_point time_of(std::int64_t stored_time) {
  return std::chrono::system_clock::time_point(std::chrono::milliseconds(stored_time));
}

}  // namespace talaria::host
