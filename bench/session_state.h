// The state that a session of an agent typically has: 60 exported variables, 20 functions and 5
// aliases, as bash text and as an environment.
#pragma once

#include <string>
#include <vector>

namespace talaria::bench {

std::vector<std::string> state_variables();  // NAME=value

// Sets all of it when bash reads it.
std::string state_script();

}  // namespace talaria::bench
