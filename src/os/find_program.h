// Where a program of this machine is.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace talaria::os {

// An ordinary file that we may execute.
bool is_program(const std::string& path);

// The first of that name in these directories (as PATH has them, with colons); an empty one is the
// current directory.
std::optional<std::string> find_program(std::string_view name, std::string_view path);

// In our own PATH.
std::optional<std::string> find_program(std::string_view name);

}  // namespace talaria::os
