// What the sandbox of a task is called at Modal. A name is taken only once in a workspace, which
// others may share: so it is this home's, too.
#pragma once

#include <string>

namespace talaria::environment::modal {

// "hermes-TASK-DIGITS", at most 64 letters of those Modal allows. `mark`: the home's.
std::string sandbox_name(const std::string& task, const std::string& mark);

}  // namespace talaria::environment::modal
