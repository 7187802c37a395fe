// What Talaria does with texts of commands, as functions.
#pragma once

#include <string>
#include <string_view>

namespace talaria {

// With secrets masked, as in results for models. Always valid UTF-8.
std::string without_secrets(std::string_view text);

// Without escape sequences of terminals. Always valid UTF-8.
std::string without_escapes(std::string_view text);

}  // namespace talaria
