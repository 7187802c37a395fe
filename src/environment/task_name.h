// What things of a task are called at a target or on a disk: one name, never a path, and never
// another task's. No I/O here.
#pragma once

#include <string>
#include <string_view>

namespace talaria::environment {

// An ordinary id is its own name, so that upstream Hermes finds the same.
std::string task_name(std::string_view task);

}  // namespace talaria::environment
