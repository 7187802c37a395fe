// Durations as people write them: "90s", "30m", "2h", "7d"; where seconds are usual also "90".
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace talaria {

// At least one second, at most 100 years. Nothing: it is not one.
std::optional<std::chrono::seconds> parse_duration(std::string_view text);

// The same where a number alone means seconds, and a fraction or "500ms" is possible: 0 to 100
// years.
std::optional<std::chrono::milliseconds> parse_time(std::string_view text);

// What is wrong with a text that parse_duration() does not accept.
std::string duration_flaw(std::string_view text);

// For errors about one.
inline constexpr const char* kDurationExamples = "90s, 30m, 2h or 7d";
inline constexpr const char* kTimeExamples = "90, 90s, 5m or 2h";

}  // namespace talaria
