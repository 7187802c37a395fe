#include <talaria/event.h>
#include <talaria/process.h>

#include <algorithm>
#include <array>
#include <utility>

namespace talaria {
namespace {

constexpr auto kLifespans = std::to_array<std::string_view>({"call", "session", "keep"});

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
  switch (ended) {
    case ProcessEnd::exited:
      return "exited";
    case ProcessEnd::killed:
      return "killed";
    case ProcessEnd::lost:
      return "lost";
  }
  return "exited";
}

std::string_view event_name(EventType type) {
  switch (type) {
    case EventType::completion:
      return "completion";
    case EventType::watch_match:
      return "watch_match";
    case EventType::watch_disabled:
      return "watch_disabled";
    case EventType::watch_overflow_tripped:
      return "watch_overflow_tripped";
    case EventType::watch_overflow_released:
      return "watch_overflow_released";
    case EventType::target_lost:
      return "target_lost";
  }
  return "completion";
}

}  // namespace talaria
