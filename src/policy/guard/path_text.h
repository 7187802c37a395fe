// Paths as they are written: nothing is looked up.
#pragma once

#include <string>
#include <string_view>

namespace talaria::guard {

// Without "//", "/./", "x/.." and a "/" at its end; "." for nothing.
std::string normalized_path(std::string_view path);

// Whether a command is the program that its last name stands for: it is given by that name alone,
// or in one of the directories into which only the system's programs are installed.
bool is_by_name(std::string_view command);
// The same, or in a directory for programs of the person: ~/.local/bin/x.
bool is_installed(std::string_view command);

}  // namespace talaria::guard
