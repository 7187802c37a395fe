#include "base/duration.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>

namespace talaria {
namespace {

constexpr std::int64_t kMostSeconds = std::int64_t{100} * 365 * 86'400;

// In milliseconds; 0: there is no such unit.
std::int64_t unit_length(std::string_view unit) {
  if (unit == "ms") return 1;
  if (unit == "s") return 1000;
  if (unit == "m") return 60'000;
  if (unit == "h") return 3'600'000;
  return unit == "d" ? 86'400'000 : 0;
}

}  // namespace

std::optional<std::chrono::seconds> parse_duration(std::string_view text) {
  std::int64_t count = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, count);
  const std::int64_t seconds = unit_length({end, last}) / 1000;
  if (error != std::errc() || seconds == 0 || count < 1 || count > kMostSeconds / seconds) {
    return std::nullopt;
  }
  return std::chrono::seconds(count * seconds);
}

std::string duration_flaw(std::string_view text) {
  const std::string examples(kDurationExamples);
  const std::string got = "'" + std::string(text) + "'";
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const bool all_zero = digits > 0 && text.substr(0, digits).find_first_not_of('0') == text.npos;
  const std::string_view unit = text.substr(digits);
  const bool has_form = digits > 0 && unit_length(unit) >= 1000;
  if (all_zero && (has_form || unit.empty())) {
    return "expected a time above 0, such as " + examples + ", got " + got;
  }
  if (has_form) return got + " is too long; the maximum is 36500d";
  return "expected a time with a unit, such as " + examples + ", got " + got;
}

std::optional<std::chrono::milliseconds> parse_time(std::string_view text) {
  double count = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, count);
  const std::string_view unit(end, last);
  const std::int64_t length = unit.empty() ? 1000 : unit_length(unit);
  const double time = count * static_cast<double>(length);
  const bool valid = error == std::errc() && length > 0 && time >= 0 &&
                     time <= static_cast<double>(kMostSeconds) * 1000;
  if (!valid) return std::nullopt;
  return std::chrono::milliseconds(std::llround(time));
}

}  // namespace talaria
