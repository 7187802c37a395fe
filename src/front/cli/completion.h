// What a shell may offer when somebody asks it to complete talaria's words, and the scripts that
// make the shells ask. The scripts know nothing themselves: they run `talaria complete -- WORD...`,
// so what is offered is always true of the program that would run.
#pragma once

#include <talaria/home.h>

#include <span>
#include <string>
#include <string_view>

namespace talaria::front::cli {

// The words that could stand in the place of the last one, each on a line with a tab and its
// meaning; and lines of what the shell itself is to look for: ":directories", ":programs",
// ":files".
std::string complete(const Home& home, std::span<const std::string> words);

// For sourcing, or for the directory where the shell looks for such files.
std::string_view bash_completion();
std::string_view zsh_completion();
std::string_view fish_completion();

}  // namespace talaria::front::cli
