// Which variables no command inherits. A command is written by a model; secrets are not its
// business. There are two rules:
//
// - The names of the agent that drives us (withheld_names.h, and whole families) never pass: keys
//   for model providers, messaging and tool services.
// - A name that says that its value is a secret (base/secret_name.h) passes only if the user listed
//   it (passthrough.h). The credentials of AWS pass, as they do in Hermes, and so do names that
//   only look like secrets.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace talaria::host {

// A name of the agent. Names match exactly, case and all.
bool is_of_the_agent(std::string_view name);

// Whether commands inherit a variable of this name; `passed`: the names the user listed.
bool is_inherited(std::string_view name, const std::set<std::string>& passed);

// The same as patterns (shell/name_patterns.h) of what is withheld.
std::vector<std::string> withheld_patterns(const std::set<std::string>& passed);

}  // namespace talaria::host
