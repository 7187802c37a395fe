#include "base/duration.h"

#include <charconv>
#include <cstdint>

namespace talaria {

std::optional<std::chrono::seconds> parse_duration(std::string_view text) {
  constexpr std::int64_t kMostSeconds = std::int64_t{100} * 365 * 86'400;
  std::int64_t count = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, count);
  const std::string_view unit(end, last);
  const std::int64_t seconds = unit == "s"   ? 1
                               : unit == "m" ? 60
                               : unit == "h" ? 3600
                               : unit == "d" ? 86'400
                                             : 0;
  if (error != std::errc() || seconds == 0 || count < 1 || count > kMostSeconds / seconds) {
    return std::nullopt;
  }
  return std::chrono::seconds(count * seconds);
}

}  // namespace talaria
