#include <talaria/event.h>
#include <talaria/process.h>

#include <algorithm>
#include <array>
#include <utility>

namespace talaria {
namespace {

// In the order of the enumerators.
constexpr auto kLifespans = std::to_array<std::string_view>({"call", "session", "keep"});
constexpr auto kEnds = std::to_array<std::string_view>({"exited", "killed", "lost"});
constexpr auto kEvents = std::to_array<std::string_view>(
    {"completion", "watch_match", "watch_disabled", "watch_overflow_tripped",
     "watch_overflow_released", "target_lost"});

}  // namespace

std::string_view lifespan_name(Lifespan lifespan) {
  return kLifespans.at(static_cast<std::size_t>(std::to_underlying(lifespan)));
}

std::optional<Lifespan> lifespan_of(std::string_view name) {
  const auto found = std::ranges::find(kLifespans, name);
  if (found == kLifespans.end()) return std::nullopt;
  return static_cast<Lifespan>(found - kLifespans.begin());
}

std::string_view end_name(ProcessEnd ended) {
  return kEnds.at(static_cast<std::size_t>(std::to_underlying(ended)));
}

std::string_view event_name(EventType type) {
  return kEvents.at(static_cast<std::size_t>(std::to_underlying(type)));
}

}  // namespace talaria
