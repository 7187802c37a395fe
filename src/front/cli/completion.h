// Completions for shells, and the scripts that request them. The scripts run
// `talaria complete -- ARGUMENT...`, so the completions always match the installed program.
#pragma once

#include <talaria/home.h>

#include <span>
#include <string>
#include <string_view>

namespace talaria::front::cli {

// Completions of the last argument, one per line with a tab and its meaning. A line ":directories",
// ":programs" or ":files" asks the shell to complete those itself.
std::string complete(const Home& home, std::span<const std::string> arguments);

// `shell`: bash, zsh or fish.
std::string_view completion_script(std::string_view shell);

}  // namespace talaria::front::cli
