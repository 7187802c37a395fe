#include "base/signal_name.h"

#include <csignal>
#include <cstring>

#include "base/text.h"

namespace talaria {

std::optional<int> signal_number(std::string_view name) {
  if (const auto number = parse_integer<int>(name)) {
    return *number >= 1 && *number <= SIGRTMAX ? number : std::nullopt;
  }
  std::string wanted = lower_case(name);
  if (wanted.starts_with("sig")) wanted.erase(0, 3);
  if (wanted.starts_with("rtmin")) {
    const std::string_view rest = std::string_view(wanted).substr(5);
    if (rest.empty()) return SIGRTMIN;
    const auto further = rest.starts_with('+') ? parse_integer<int>(rest.substr(1)) : std::nullopt;
    const bool there_is = further && *further >= 0 && *further <= SIGRTMAX - SIGRTMIN;
    return there_is ? std::optional(SIGRTMIN + *further) : std::nullopt;
  }
  for (int number = 1; number < SIGRTMIN; ++number) {
    const char* abbreviation = ::sigabbrev_np(number);
    if (abbreviation != nullptr && lower_case(abbreviation) == wanted) return number;
  }
  return std::nullopt;
}

std::string signal_name(int number) {
  if (const char* abbreviation = ::sigabbrev_np(number)) return std::string("SIG") + abbreviation;
  if (number >= SIGRTMIN && number <= SIGRTMAX) {
    const int further = number - SIGRTMIN;
    return further == 0 ? "SIGRTMIN" : "SIGRTMIN+" + std::to_string(further);
  }
  return "signal " + std::to_string(number);
}

}  // namespace talaria
