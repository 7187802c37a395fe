// What a model sees of what a script printed: all of it, or its first 20,000 and its last 30,000
// bytes.
#pragma once

#include <string>

#include "environment/command.h"

namespace talaria::tool {

// Asks for as much as script_output() needs.
void limit_script_output(environment::CommandSpec& spec);

std::string script_output(const environment::CommandOutcome& outcome, bool mask);

}  // namespace talaria::tool
