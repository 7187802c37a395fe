// Exit codes of well-known programs that are not failures: 1 of grep means "nothing found". A model
// that does not know this tries again.
#pragma once

#include <string_view>

namespace talaria::tool {

// For the last command of the text; empty if there is nothing to say.
std::string_view exit_code_meaning(std::string_view command, int exit_code);

}  // namespace talaria::tool
