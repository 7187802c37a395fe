// Finds sudo in a shell command, and adds options to it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace talaria::policy {

// The ends of the words `sudo` that run it, in bytes. Only a plain sudo is found: not 'sudo',
// \sudo, /usr/bin/sudo and sudo>f, not one that reads its password from standard input (-S), and
// none in a text that cannot be parsed.
std::vector<std::size_t> find_sudo(std::string_view command);

// Inserts the options at these positions.
std::string with_options(std::string_view command, const std::vector<std::size_t>& positions,
                         std::string_view options);

inline constexpr std::string_view kAskpassOptions = " -A";
inline constexpr std::string_view kStdinOptions = " -S -p ''";

}  // namespace talaria::policy
