// What an exit code of a well-known program means when it is no failure: grep's 1 is "nothing
// found". A model that does not know this tries again.
#pragma once

#include <string_view>

namespace talaria::tool {

// For the last command of the text; empty if there is nothing to say.
std::string_view exit_code_meaning(std::string_view command, int exit_code);

}  // namespace talaria::tool
