// Signals by name, as `kill` has them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace talaria {

// "INT", "SIGINT" (in any case), "2", "RTMIN+1".
std::optional<int> signal_number(std::string_view name);

// "SIGINT"; "signal 99" for one without a name.
std::string signal_name(int number);

}  // namespace talaria
