// Every command of a text, also those in substitutions, in the order they are written.
#pragma once

#include <functional>

#include "policy/guard/syntax/shell_syntax.h"

namespace talaria::guard {

void for_each_command(const ShellList& list, const std::function<void(const ShellCommand&)>& visit);

}  // namespace talaria::guard
