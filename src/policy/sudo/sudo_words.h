// Where in a shell text sudo would run, and the same text with options of ours behind each.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace talaria::policy {

// The ends of those words, in bytes from the beginning. Only words that are written as they are
// called: 'sudo', \sudo, /usr/bin/sudo and sudo>f are left as they are. So is a sudo that reads its
// password from standard input (-S), and all in a text that cannot be read.
std::vector<std::size_t> find_sudo(std::string_view command);

// All else stays as it is, byte for byte.
std::string with_options(std::string_view command, const std::vector<std::size_t>& words,
                         std::string_view options);

inline constexpr std::string_view kAskpassOptions = " -A";
inline constexpr std::string_view kStdinOptions = " -S -p ''";

}  // namespace talaria::policy
