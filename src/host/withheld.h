// Names no command may inherit: the secrets of the agent that drives us. A command is written by a
// model; keys for model providers, messaging and tool services are not its business. The user's own
// credentials (AWS_ACCESS_KEY_ID, ...) pass: commands need them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace talaria::host {

// Names match exactly, case and all.
bool is_withheld(std::string_view name);

// All of them, whole families as "FAMILY_*".
std::vector<std::string> withheld_patterns();

}  // namespace talaria::host
