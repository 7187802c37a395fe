// What a command inherits: the caller's variables without the secrets of the agent that drives us.
// A command is written by a model; keys for model providers, messaging and tool services are not
// its business. The user's own credentials (AWS_ACCESS_KEY_ID, ...) pass: commands need them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "host/caller.h"

namespace talaria {

// As NAME=value. Names match exactly, case and all.
std::vector<std::string> child_env(const Caller& caller);

// True for a name no command may inherit.
bool is_withheld(std::string_view name);

}  // namespace talaria
