// Durations as people write them: "90s", "30m", "2h", "7d".
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

namespace talaria {

// At least one second, at most 100 years. Nothing: it is not one.
std::optional<std::chrono::seconds> parse_duration(std::string_view text);

// For errors about one.
inline constexpr const char* kDurationExamples = "90s, 30m, 2h or 7d";

}  // namespace talaria
