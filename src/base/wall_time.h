// Times of the wall clock, as text and as numbers.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace talaria {

inline constexpr const char* kIsoTime = "%Y-%m-%dT%H:%M:%S";  // "2026-11-15T14:00:00"

// `format`: as for strftime(3).
std::string local_time(std::chrono::system_clock::time_point time, const char* format = kIsoTime);
std::string utc_time(std::chrono::system_clock::time_point time, const char* format = kIsoTime);

std::string utc_time_ms(std::chrono::system_clock::time_point time);  // "2026-11-15T14:00:00.042Z"

// Whether it is such a time, or the beginning of one that ends with a whole part, from the month
// on: "2026-11", "2026-11-15T14".
bool begins_utc_time(std::string_view text);

// Of the present time, as messages and files store it.
std::uint64_t milliseconds_since_1970();

}  // namespace talaria
